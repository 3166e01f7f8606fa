import Glibc
import SignalProcessing

/// A unit quaternion that maps device axes to the reference frame, scalar last as in Core Motion.
typealias Rotation = SIMD4<Double>

extension Rotation {
    /// The attitude with Core Motion's angles in radians: about Z, then the new X, then the new Y.
    init(yaw: Double, pitch: Double, roll: Double) {
        let aboutZ = Rotation(0, 0, sin(yaw / 2), cos(yaw / 2))
        let aboutX = Rotation(sin(pitch / 2), 0, 0, cos(pitch / 2))
        let aboutY = Rotation(0, sin(roll / 2), 0, cos(roll / 2))
        self = Quaternion.product(Quaternion.product(aboutZ, aboutX), aboutY)
    }

    /// The direction of gravity in device axes, of unit length.
    var gravity: Vector { Attitude.gravity(in: self) }

    /// The constant rate in device axes, rad/s, that turns this attitude into `next` within `seconds`.
    func rate(to next: Rotation, over seconds: Double) -> Vector {
        let step = Attitude.relative(next, to: self)
        let sine = Vector(step.x, step.y, step.z)
        guard sine.length > 0 else { return .zero }
        let angle = 2 * atan2(sine.length, abs(step.w))
        let factor = angle / (sine.length * seconds) * (step.w < 0 ? -1 : 1)
        return sine * factor
    }
}
