import Foundation

/// What Core Motion computes from an attitude: a unit quaternion x, y, z, w that turns device axes into reference axes.
///
/// q and -q are the same attitude and give the same results. Conventions recomputed from public recordings:
/// angles are intrinsic Z-X'-Y'' (not the aerospace order), Z points up.
package enum Attitude {
    /// Roll, pitch and yaw of `attitude` (`CMAttitude.roll`, `.pitch`, `.yaw`).
    package static func angles(of attitude: SIMD4<Double>) -> AttitudeAngles {
        let (x, y, z, w) = (attitude.x, attitude.y, attitude.z, attitude.w)
        // Rounding takes the sine up to 1e-16 past 1 when the device points straight up or down.
        let sine = min(max(2 * (w * x + y * z), -1), 1)
        return AttitudeAngles(
            roll: atan2(2 * (w * y - x * z), 1 - 2 * (x * x + y * y)),
            pitch: asin(sine),
            yaw: atan2(2 * (w * z - x * y), 1 - 2 * (x * x + z * z)))
    }

    /// The direction of gravity in device axes, unit length (`CMDeviceMotion.gravity`, G).
    package static func gravity(in attitude: SIMD4<Double>) -> SIMD3<Double> {
        let (x, y, z, w) = (attitude.x, attitude.y, attitude.z, attitude.w)
        return SIMD3(-2 * (x * z - w * y), -2 * (y * z + w * x), 2 * (x * x + y * y) - 1)
    }

    /// The turn from `reference` to `current` in the axes of the device at `reference`: conj(reference) (x) current.
    ///
    /// This is `CMAttitude.multiply(byInverseOf:)`. With the inverse on the right it would be the same turn in the
    /// axes of the room.
    package static func relative(_ current: SIMD4<Double>, to reference: SIMD4<Double>) -> SIMD4<Double> {
        Quaternion.product(Quaternion.conjugate(reference), current)
    }

    /// The angle of the shortest turn between two attitudes, 0...pi rad; symmetric.
    ///
    /// By atan2 rather than acos of the dot product, which loses half its digits at small angles.
    package static func angle(between left: SIMD4<Double>, and right: SIMD4<Double>) -> Double {
        let turn = relative(right, to: left)
        let sine = (turn.x * turn.x + turn.y * turn.y + turn.z * turn.z).squareRoot()
        return 2 * atan2(sine, abs(turn.w))
    }

    /// Where `attitude` comes to when the device turns at `rotationRate` (rad/s about its own axes) for `seconds`.
    ///
    /// q (x) exp(rate seconds / 2): exact for a constant rate. Negative `seconds` turn back.
    package static func predicted(
        from attitude: SIMD4<Double>, rotationRate: SIMD3<Double>, seconds: Double
    ) -> SIMD4<Double> {
        Quaternion.product(attitude, Quaternion.rotation(by: rotationRate * seconds))
    }
}
