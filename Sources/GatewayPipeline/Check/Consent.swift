/// What a person has to consent to before it is derived: an entry of `consent` in the registry.
package enum Consent: String, Sendable, CaseIterable {
    /// Tremor of a hand.
    case tremor
    /// Sleep.
    case sleep

    /// The kinds that are derived, kept and shown with this consent only.
    package var kinds: [String] {
        switch self {
        case .tremor: ["tremor"]
        case .sleep: ["sleep"]
        }
    }
}
