import Foundation

/// Quaternion algebra on `SIMD4` in Core Motion's order x, y, z, w: q = xi + yj + zk + w.
///
/// Nothing here needs unit length unless it says so. NaN in gives NaN out, except where a result is optional.
package enum Quaternion {
    /// No rotation.
    package static let identity = SIMD4<Double>(0, 0, 0, 1)

    /// Hamilton product: the turn `right` followed by the turn `left`.
    ///
    /// Associative, not commutative; the norm of a product is the product of the norms.
    package static func product(_ left: SIMD4<Double>, _ right: SIMD4<Double>) -> SIMD4<Double> {
        SIMD4(
            left.w * right.x + left.x * right.w + left.y * right.z - left.z * right.y,
            left.w * right.y - left.x * right.z + left.y * right.w + left.z * right.x,
            left.w * right.z + left.x * right.y - left.y * right.x + left.z * right.w,
            left.w * right.w - left.x * right.x - left.y * right.y - left.z * right.z)
    }

    /// The quaternion with its vector part negated; of a unit quaternion, the inverse turn.
    package static func conjugate(_ quaternion: SIMD4<Double>) -> SIMD4<Double> {
        quaternion * SIMD4(-1, -1, -1, 1)
    }

    /// The Euclidean length, 0 or more.
    package static func norm(_ quaternion: SIMD4<Double>) -> Double {
        (quaternion * quaternion).sum().squareRoot()
    }

    /// The unit quaternion of the same direction; nil when the norm is outside `range`, NaN included.
    ///
    /// The sign of w is kept: q and -q are the same turn, but a stream that keeps its sign is continuous.
    package static func normalized(
        _ quaternion: SIMD4<Double>, ifNormIn range: ClosedRange<Double>
    ) -> SIMD4<Double>? {
        let norm = norm(quaternion)
        guard norm > 0, range.contains(norm) else { return nil }
        return quaternion / norm
    }

    /// The unit quaternion of a turn by |`vector`| rad about `vector`, right-handed: exp(vector / 2).
    package static func rotation(by vector: SIMD3<Double>) -> SIMD4<Double> {
        let angle = (vector * vector).sum().squareRoot()
        // sin(a/2)/a is 0/0 at rest; below 1e-8 its limit 1/2 is exact in a Double.
        let scale = angle < 1e-8 ? 0.5 : sin(angle / 2) / angle
        return SIMD4(vector * scale, cos(angle / 2))
    }
}
