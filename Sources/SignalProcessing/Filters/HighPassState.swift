/// The state of a second-order high-pass filter (transposed direct form II).
package struct HighPassState: Sendable, Equatable, Codable {
    private var first, second: Double

    /// The state after `value` has been held forever, so that the next output has no step in it.
    package init(settledAt value: Double, _ coefficients: HighPassCoefficients) {
        first = -coefficients.b0 * value
        second = coefficients.b0 * value
    }

    /// Processes one sample and returns the filtered one, in the same unit; finite input stays finite below 1e300.
    package mutating func step(_ value: Double, _ coefficients: HighPassCoefficients) -> Double {
        let scaled = coefficients.b0 * value
        let output = scaled + first
        first = second - 2 * scaled - coefficients.a1 * output
        second = scaled - coefficients.a2 * output
        return output
    }
}

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A second-order Butterworth high-pass filter for one corner and one rate.
///
/// The analogue prototype s^2 / (s^2 + sqrt(2) s + 1) under the bilinear transform, its corner warped by
/// tan(pi corner / rate): y[n] = b0 (x[n] - 2 x[n-1] + x[n-2]) - a1 y[n-1] - a2 y[n-2].
package struct HighPassCoefficients: Sendable, Equatable {
    /// The outer two feed-forward coefficients; the middle one is -2 `b0`.
    package let b0: Double
    /// The feedback coefficients, the leading one being 1.
    package let a1, a2: Double

    /// A filter that is 3 dB down at `cornerHertz`; the corner is above 0 and below half of `sampleHertz`.
    package init(cornerHertz: Double, sampleHertz: Double) {
        let warped = tan(.pi * cornerHertz / sampleHertz)
        let scale = 1 / (1 + 2.0.squareRoot() * warped + warped * warped)
        b0 = scale
        a1 = 2 * (warped * warped - 1) * scale
        a2 = (1 - 2.0.squareRoot() * warped + warped * warped) * scale
    }
}
