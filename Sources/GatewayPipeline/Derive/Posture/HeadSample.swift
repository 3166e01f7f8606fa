internal import Foundation
import SignalProcessing
import TelemetryModel

/// What postures and push-ups need of headphone motion, at 25 Hz.
struct HeadSample {
    /// Cells a second.
    static let hertz = 25.0
    /// The longest gap that is bridged, in cells: 0.5 s.
    static let longestGap = 12

    /// The direction of gravity, of unit length.
    var gravity: SIMD3<Double>
    /// The acceleration along gravity, downwards, in G.
    var vertical: Double
    /// The length of the user acceleration in G.
    var acceleration: Double
    /// The angular speed in rad/s.
    var speed: Double

    /// The components of a sample, for the sampler; the last two are not used.
    ///
    /// In free fall a sensor measures nothing, and the user acceleration is the opposite of gravity: it points against the
    /// movement.
    static func values(_ samples: MotionSamples, at index: Int) -> SIMD8<Double> {
        let (gravity, user, rate) = (samples.gravity[index], samples.userAcceleration[index], samples.rotationRate[index])
        let upwards = (user * gravity).sum()
        return SIMD8(
            gravity.x, gravity.y, gravity.z, -upwards, (user * user).sum().squareRoot(),
            (rate * rate).sum().squareRoot(), 0, 0)
    }

    /// The sample of a cell; nil where gravity has no direction.
    init?(_ values: SIMD8<Double>) {
        let gravity = SIMD3(values[0], values[1], values[2])
        let length = (gravity * gravity).sum().squareRoot()
        guard length > 0.5, length < 1.5 else { return nil }
        self.gravity = gravity / length
        // No head reaches the bound; it keeps the filters finite.
        vertical = min(max(values[3], -100), 100)
        (acceleration, speed) = (values[4], values[5])
    }

    /// The angle from front to back in rad, as pitch in `CMAttitude`: positive with the nose up.
    static func pitch(of gravity: SIMD3<Double>) -> Double { atan2(-gravity.y, -gravity.z) }

    /// The angle from side to side in rad, as roll in `CMAttitude`.
    static func roll(of gravity: SIMD3<Double>) -> Double { atan2(gravity.x, -gravity.z) }

    /// An angle brought into -pi...pi.
    static func wrapped(_ angle: Double) -> Double { remainder(angle, 2 * .pi) }

    /// The angle between two directions of unit length, in rad.
    static func angle(_ left: SIMD3<Double>, _ right: SIMD3<Double>) -> Double {
        acos(min(1, max(-1, (left * right).sum())))
    }
}
