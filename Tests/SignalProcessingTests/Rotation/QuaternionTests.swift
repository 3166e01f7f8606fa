import Foundation
import SignalProcessing
import Testing

@Suite("Quaternion")
struct QuaternionTests {
    private let i = SIMD4<Double>(1, 0, 0, 0)
    private let j = SIMD4<Double>(0, 1, 0, 0)
    private let k = SIMD4<Double>(0, 0, 1, 0)
    private let a = SIMD4(0.1, -0.7, 0.4, 0.9)
    private let b = SIMD4(-1.3, 0.2, 0.5, -0.4)
    private let c = SIMD4(0.6, 0.8, -0.1, 0.3)

    @Test("ij = k, jk = i, ki = j, and the reverse is negative")
    func unitProducts() {
        #expect(Quaternion.product(i, j) == k)
        #expect(Quaternion.product(j, k) == i)
        #expect(Quaternion.product(k, i) == j)
        #expect(Quaternion.product(j, i) == -k)
        #expect(Quaternion.product(i, i) == -Quaternion.identity)
    }

    @Test("the product is associative and has the identity on both sides, but does not commute")
    func productProperties() {
        let left = Quaternion.product(Quaternion.product(a, b), c)
        let right = Quaternion.product(a, Quaternion.product(b, c))
        #expect(length(left - right) < 1e-12)
        #expect(Quaternion.product(a, Quaternion.identity) == a)
        #expect(Quaternion.product(Quaternion.identity, a) == a)
        #expect(length(Quaternion.product(a, b) - Quaternion.product(b, a)) > 0.1)
    }

    @Test("the norm of a product is the product of the norms")
    func normIsMultiplicative() {
        let product = Quaternion.norm(Quaternion.product(a, b))
        #expect(abs(product - Quaternion.norm(a) * Quaternion.norm(b)) < 1e-12)
    }

    @Test("the conjugate reverses products and gives the squared norm")
    func conjugateProperties() {
        let reversed = Quaternion.product(Quaternion.conjugate(b), Quaternion.conjugate(a))
        #expect(length(Quaternion.conjugate(Quaternion.product(a, b)) - reversed) < 1e-12)
        let square = Quaternion.product(a, Quaternion.conjugate(a))
        #expect(length(square - Quaternion.identity * (a * a).sum()) < 1e-12)
    }

    @Test("normalizing keeps the direction and the sign of w")
    func normalizedKeepsSign() throws {
        let unit = try #require(Quaternion.normalized(SIMD4(0, 0.3, 0, -1), ifNormIn: 0.9...1.1))
        #expect(abs(Quaternion.norm(unit) - 1) < 1e-15)
        #expect(unit.w < 0)
        #expect(abs(unit.y / unit.w + 0.3) < 1e-15)
    }

    @Test(
        "a norm outside the range, zero or not finite has no unit quaternion",
        arguments: [
            SIMD4(0, 0, 0, 0.89), SIMD4(0, 0, 0, 1.11), SIMD4(0, 0, 0, 0), SIMD4(.nan, 0, 0, 1), SIMD4(.infinity, 0, 0, 1),
            SIMD4(1e200, 0, 0, 1),
        ])
    func degenerate(quaternion: SIMD4<Double>) {
        #expect(Quaternion.normalized(quaternion, ifNormIn: 0.9...1.1) == nil)
        #expect(Quaternion.normalized(.zero, ifNormIn: 0...2) == nil)
    }

    @Test(
        "a turn has unit length at any size, and the smallest is half its vector",
        arguments: [0, 1e-300, 1e-9, 1, 7, 1e4])
    func rotationLength(angle: Double) {
        let turn = Quaternion.rotation(by: SIMD3(0, angle, 0))
        #expect(abs(Quaternion.norm(turn) - 1) < 1e-15)
        if angle < 1e-8 { #expect(turn.y == angle / 2) }
    }

    @Test("turns about one axis add up")
    func rotationsAdd() {
        let axis = SIMD3(2.0, -1, 2) / 3
        let sum = Quaternion.product(Quaternion.rotation(by: axis * 0.4), Quaternion.rotation(by: axis * 1.1))
        #expect(length(sum - Quaternion.rotation(by: axis * 1.5)) < 1e-12)
    }
}
