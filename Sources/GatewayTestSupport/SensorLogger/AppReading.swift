import Foundation
import SignalProcessing

/// What a motion sensor measured, in Core Motion's units and signs.
package struct AppReading: Sendable {
    /// When, in unix seconds.
    package var time: Double
    /// The attitude (x, y, z, w), from the sensor to a frame whose z points up.
    package var attitude: SIMD4<Double>
    /// The rotation in rad/s about the sensor's axes.
    package var rotationRate: SIMD3<Double>
    /// The acceleration without gravity, in G.
    package var acceleration: SIMD3<Double>

    /// A reading of a sensor that hangs crooked, turned by `yaw` about the vertical and turning at `rate`.
    package init(time: Double, yaw: Double, rate: Double = 0, acceleration: SIMD3<Double> = [0.06, -0.08, 0.02]) {
        self.time = time
        attitude = Quaternion.product(SIMD4(0, 0, sin(yaw / 2), cos(yaw / 2)), Self.crooked)
        self.acceleration = acceleration
        rotationRate = .zero
        rotationRate = gravity * -rate
    }

    /// Gravity in G along the sensor's axes.
    package var gravity: SIMD3<Double> { Attitude.gravity(in: attitude) }

    /// The first reading of a stream, whose attitude is not that of the head.
    package var bogus: Self {
        var bogus = self
        bogus.attitude = Quaternion.product(SIMD4(0, 0, 0.6, 0.8), SIMD4(0.48, 0, 0.6, 0.64))
        return bogus
    }

    /// Gravity on all three axes, so that a few readings distinguish all conventions.
    private static let crooked = SIMD4(0.2, -0.3, 0.1, 0.86.squareRoot())
}
