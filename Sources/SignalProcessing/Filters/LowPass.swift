internal import Foundation

/// A first-order low-pass filter for samples at any distance.
package struct LowPass: Sendable, Equatable, Codable {
    /// The filtered value.
    package private(set) var value: Double

    /// A filter that has been at `value` for long.
    package init(settledAt value: Double) { self.value = value }

    /// Processes a sample `interval` seconds after the one before; returns the filtered value in the same unit. A time constant of 0
    /// filters nothing.
    package mutating func step(_ sample: Double, interval: Double, timeConstant: Double) -> Double {
        guard interval > 0 else { return value }
        value = timeConstant > 0 ? value + (1 - exp(-interval / timeConstant)) * (sample - value) : sample
        return value
    }
}
