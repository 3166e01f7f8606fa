internal import Foundation

/// A second-order Butterworth section: y[n] = b0 x[n] + b1 x[n-1] + b2 x[n-2] - a1 y[n-1] - a2 y[n-2].
///
/// The bilinear transform of the analogue prototype, its corner warped by tan(pi corner / rate).
public struct FilterSection: Sendable, Equatable {
    /// The feed-forward coefficients.
    public let b0, b1, b2: Double
    /// The feedback coefficients, the leading one being 1.
    public let a1, a2: Double

    /// A low-pass section, 3 dB down at `hertz`; the corner is above 0 and below half of `sampleHertz`.
    package static func lowPass(hertz: Double, sampleHertz: Double) -> Self {
        let warped = tan(.pi * hertz / sampleHertz)
        let scale = 1 / (1 + 2.0.squareRoot() * warped + warped * warped)
        let gain = warped * warped * scale
        return Self(b0: gain, b1: 2 * gain, b2: gain, warped: warped, scale: scale)
    }

    /// A high-pass section, 3 dB down at `hertz`.
    package static func highPass(hertz: Double, sampleHertz: Double) -> Self {
        let warped = tan(.pi * hertz / sampleHertz)
        let scale = 1 / (1 + 2.0.squareRoot() * warped + warped * warped)
        return Self(b0: scale, b1: -2 * scale, b2: scale, warped: warped, scale: scale)
    }

    private init(b0: Double, b1: Double, b2: Double, warped: Double, scale: Double) {
        (self.b0, self.b1, self.b2) = (b0, b1, b2)
        a1 = 2 * (warped * warped - 1) * scale
        a2 = (1 - 2.0.squareRoot() * warped + warped * warped) * scale
    }

    /// The phase in rad by which a sine of `hertz` is moved, -pi...pi; negative is late.
    package func phase(hertz: Double, sampleHertz: Double) -> Double {
        let angle = 2 * .pi * hertz / sampleHertz
        let (c1, s1, c2, s2) = (cos(angle), sin(angle), cos(2 * angle), sin(2 * angle))
        let above = atan2(-b1 * s1 - b2 * s2, b0 + b1 * c1 + b2 * c2)
        let below = atan2(-a1 * s1 - a2 * s2, 1 + a1 * c1 + a2 * c2)
        return remainder(above - below, 2 * .pi)
    }
}
