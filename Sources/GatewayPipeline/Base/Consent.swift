/// What a person has to consent to before it is derived: an entry of `consent` in the registry.
package enum Consent: String, Sendable, CaseIterable {
    /// Tremor of a hand, and dyskinesia.
    case tremor
    /// Sleep.
    case sleep

    /// The kinds that are derived, kept and shown with this consent only.
    package var kinds: [String] {
        switch self {
        case .tremor: ["tremor", "dyskinesia"]
        case .sleep: ["sleep"]
        }
    }
}
