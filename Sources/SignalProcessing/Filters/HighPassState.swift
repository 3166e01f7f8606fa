/// The state of a `FilterSection.highPass` (transposed direct form II).
package struct HighPassState: Sendable, Equatable, Codable {
    private var first, second: Double

    /// The state after `value` has been held forever, so that the next output has no step in it.
    package init(settledAt value: Double, _ section: FilterSection) {
        first = -section.b0 * value
        second = section.b0 * value
    }

    /// Processes one sample and returns the filtered one, in the same unit; finite input stays finite below 1e300.
    package mutating func step(_ value: Double, _ section: FilterSection) -> Double {
        let scaled = section.b0 * value
        let output = scaled + first
        first = second - 2 * scaled - section.a1 * output
        second = scaled - section.a2 * output
        return output
    }
}
