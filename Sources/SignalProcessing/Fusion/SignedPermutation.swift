/// An assignment of axes: each new axis is an old one, with or without its sign changed.
package struct SignedPermutation: Sendable, Equatable, Hashable, Codable {
    /// The old axis (0 x, 1 y, 2 z) of each new one, all different.
    package let axes: SIMD3<Int>
    /// 1, or -1 where the new axis is the old one with the opposite sign.
    package let signs: SIMD3<Double>

    /// Each axis as it is.
    package static let identity = Self(axes: SIMD3(0, 1, 2), signs: SIMD3(1, 1, 1))
    /// Each axis reversed: the mirror of what turns.
    package static let reversed = Self(axes: SIMD3(0, 1, 2), signs: SIMD3(-1, -1, -1))

    /// All 48, the identity first.
    package static let all: [Self] = {
        let orders = [SIMD3(0, 1, 2), SIMD3(1, 2, 0), SIMD3(2, 0, 1), SIMD3(0, 2, 1), SIMD3(2, 1, 0), SIMD3(1, 0, 2)]
        return orders.flatMap { axes in
            (0..<8).map { bits in
                Self(axes: axes, signs: SIMD3(bits & 1 == 0 ? 1 : -1, bits & 2 == 0 ? 1 : -1, bits & 4 == 0 ? 1 : -1))
            }
        }
    }()

    /// The vector in the new axes.
    package func callAsFunction(_ vector: SIMD3<Double>) -> SIMD3<Double> {
        SIMD3(vector[axes.x], vector[axes.y], vector[axes.z]) * signs
    }

    /// 1 where a right-handed frame stays one, -1 where it becomes left-handed.
    package var determinant: Double {
        let isEven = axes.y == (axes.x + 1) % 3
        return (isEven ? 1 : -1) * signs.x * signs.y * signs.z
    }
}
