/// What a person has to consent to before it is derived: a key of `consent` in the registry.
package enum Consent: String, Sendable, CaseIterable {
    /// Tremor of a hand.
    case tremor
    /// Sleep.
    case sleep
}
