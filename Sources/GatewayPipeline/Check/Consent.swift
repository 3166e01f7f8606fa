/// What a person has to consent to before it is derived: an entry of `consent` in the registry. The raw value is the
/// kind that is derived only then.
package enum Consent: String, Sendable, CaseIterable {
    /// Tremor of a hand.
    case tremor
    /// Sleep.
    case sleep
}
