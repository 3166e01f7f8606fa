import GatewayTestSupport
import SignalProcessing
import Testing

@Suite("The axes of raw motion")
struct AxisAgreementTests {
    private static let samples = SimulatedMotion(intervals: [0.02]).samples(seconds: 80)

    private func verdict(
        _ samples: [SimulatedMotion.Sample], acceleration: SignedPermutation = .identity, rotation: SignedPermutation = .identity
    ) -> AxisAgreement.Verdict {
        var axes = AxisAgreement()
        for sample in samples {
            axes.add(
                acceleration: acceleration(sample.acceleration), rotationRate: rotation(sample.rotationRate),
                interval: sample.interval)
        }
        return axes.verdict
    }

    @Test("there are 48 assignments, all different, half of them mirrors")
    func permutations() {
        let all = SignedPermutation.all
        #expect(Set(all).count == 48 && all[0] == .identity)
        #expect(all.count { $0.determinant == 1 } == 24 && all.count { $0.determinant == -1 } == 24)
        for permutation in all {
            let (x, y) = (permutation(SIMD3(1, 0, 0)), permutation(SIMD3(0, 1, 0)))
            let z = SIMD3(x.y * y.z - x.z * y.y, x.z * y.x - x.x * y.z, x.x * y.y - x.y * y.x)
            #expect(z * permutation.determinant == permutation(SIMD3(0, 0, 1)))
        }
    }

    @Test("the assignment that puts the rotation rate right is named", arguments: SignedPermutation.all)
    func rotation(wrong: SignedPermutation) {
        let found = verdict(Self.samples, rotation: wrong)
        let vector = SIMD3(1.0, 2, 3)
        switch found {
        case .agrees: #expect(wrong == .identity)
        case .leftHanded: #expect(wrong == .reversed)
        case .rotationRate(let right): #expect(wrong != .identity && wrong != .reversed && right(wrong(vector)) == vector)
        case .undecided, .rotationUnit: Issue.record("\(found)")
        }
    }

    @Test("of both sensors alike, a mirror is left-handed and a turn agrees", arguments: SignedPermutation.all)
    func alike(axes: SignedPermutation) {
        #expect(verdict(Self.samples, acceleration: axes, rotation: axes) == (axes.determinant > 0 ? .agrees : .leftHanded))
    }

    @Test("a rate in another unit is named, whatever its axes", arguments: [180 / Double.pi, .pi / 180])
    func unit(factor: Double) throws {
        for rotation in [SignedPermutation.identity, .reversed, try #require(SignedPermutation.all.last)] {
            let scaled = Self.samples.map { sample in
                var sample = sample
                sample.rotationRate *= factor
                return sample
            }
            guard case .rotationUnit(let found) = verdict(scaled, rotation: rotation) else {
                Issue.record("\(rotation): \(verdict(scaled, rotation: rotation))")
                continue
            }
            #expect(abs(found * factor - 1) < 1e-12)
        }
    }

    @Test("a producer that is mended agrees, whatever was found before")
    func mended() {
        var axes = AxisAgreement()
        for wrong in [SignedPermutation.reversed, .identity] {
            for sample in Self.samples {
                axes.add(
                    acceleration: sample.acceleration, rotationRate: wrong(sample.rotationRate), interval: sample.interval)
            }
            #expect(axes.verdict == (wrong == .identity ? .agrees : .leftHanded))
        }
    }

    @Test("the sign of the acceleration does not matter")
    func sign() {
        #expect(verdict(Self.samples, acceleration: .reversed) == .agrees)
    }

    @Test("rest, a turn about one axis and short windows decide nothing")
    func undecided() {
        #expect(verdict(SimulatedMotion(bias: SIMD3(0.01, 0, 0)).samples(seconds: 100, isStill: true)) == .undecided)
        let single = SimulatedMotion(rate: SIMD3(1.5, 0, 0), shake: 0, intervals: [0.02]).samples(seconds: 120)
        #expect(verdict(single) == .undecided)
        let pieces = (0..<40).flatMap { _ in
            [SimulatedMotion.Sample(interval: 1, acceleration: .zero, rotationRate: .zero, magneticField: .zero, attitude: .zero)]
                + Self.samples.prefix(200)
        }
        #expect(verdict(pieces) == .undecided)
    }
}
