/// When a value was measured, and until when it is current.
package struct Validity: Sendable, Hashable {
    /// When it was measured, unix seconds.
    package var at: Double?

    /// Until when it holds without further data, unix seconds; nil for a value that holds until it is replaced.
    package var validUntil: Double?

    /// Whether its quality is `valid`.
    package var isValid = true

    /// A validity; by default of a value that holds.
    package init(at: Double? = nil, validUntil: Double? = nil, isValid: Bool = true) {
        self.at = at
        self.validUntil = validUntil
        self.isValid = isValid
    }

    /// Whether it may be shown as current at `now`, unix seconds.
    package func isCurrent(at now: Double) -> Bool { isValid && validUntil.map { now < $0 } ?? true }
}
