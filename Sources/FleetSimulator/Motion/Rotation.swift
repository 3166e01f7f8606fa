import Glibc
import SignalProcessing

/// A unit quaternion that maps device axes to the reference frame, scalar last as in Core Motion.
struct Rotation: Sendable, Hashable {
    var x = 0.0
    var y = 0.0
    var z = 0.0
    var w = 1.0

    static func aboutX(_ angle: Double) -> Rotation { Rotation(x: sin(angle / 2), w: cos(angle / 2)) }
    static func aboutY(_ angle: Double) -> Rotation { Rotation(y: sin(angle / 2), w: cos(angle / 2)) }
    static func aboutZ(_ angle: Double) -> Rotation { Rotation(z: sin(angle / 2), w: cos(angle / 2)) }

    /// The attitude with Core Motion's angles in radians: about Z, then the new X, then the new Y.
    init(yaw: Double, pitch: Double, roll: Double) {
        self = Self.aboutZ(yaw) * Self.aboutX(pitch) * Self.aboutY(roll)
    }

    init(x: Double = 0, y: Double = 0, z: Double = 0, w: Double = 1) {
        (self.x, self.y, self.z, self.w) = (x, y, z, w)
    }

    var conjugate: Rotation { Rotation(x: -x, y: -y, z: -z, w: w) }

    /// The direction of gravity in device axes, of unit length.
    var gravity: Vector {
        let gravity = Attitude.gravity(in: SIMD4(x, y, z, w))
        return Vector(x: gravity.x, y: gravity.y, z: gravity.z)
    }

    /// The constant rate in device axes, rad/s, that turns this attitude into `next` within `seconds`.
    func rate(to next: Rotation, over seconds: Double) -> Vector {
        let step = conjugate * next
        let sine = Vector(x: step.x, y: step.y, z: step.z)
        guard sine.length > 0 else { return Vector() }
        let angle = 2 * atan2(sine.length, abs(step.w))
        return sine * (angle / (sine.length * seconds) * (step.w < 0 ? -1 : 1))
    }

    /// Hamilton's product: first `right`, then `left`, as seen from the reference frame.
    static func * (left: Rotation, right: Rotation) -> Rotation {
        Rotation(
            x: left.w * right.x + left.x * right.w + left.y * right.z - left.z * right.y,
            y: left.w * right.y - left.x * right.z + left.y * right.w + left.z * right.x,
            z: left.w * right.z + left.x * right.y - left.y * right.x + left.z * right.w,
            w: left.w * right.w - left.x * right.x - left.y * right.y - left.z * right.z
        )
    }
}
