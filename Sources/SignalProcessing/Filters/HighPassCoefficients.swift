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
