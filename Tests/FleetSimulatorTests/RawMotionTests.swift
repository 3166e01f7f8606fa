import FleetSimulator
import Testing
import WearableFrames

@Suite("Simulated devices without fusion")
struct RawMotionTests {
    private static let kinds = DeviceKind.allCases.filter { $0 != .sleeper }

    private func frames(rawBias: Double?) throws -> [Frame] {
        try Fleet(kinds: Self.kinds, count: Self.kinds.count, startingAt: start, duration: 12, rawBias: rawBias).frames()
    }

    @Test(
        "send the same frames, with gravity and user acceleration as one, and a rotation rate with a constant bias",
        arguments: [0, 0.02])
    func same(bias: Double) throws {
        let (fused, raw) = (try frames(rawBias: nil), try frames(rawBias: bias))
        #expect(fused.map(\.message.at) == raw.map(\.message.at))
        #expect(fused.map(\.message.stream) == raw.map(\.message.stream))
        var samples = 0
        var biases: [String: SIMD3<Double>] = [:]
        for (fused, raw) in zip(fused, raw) {
            guard [.headphoneMotion, .deviceMotion, .batchedIMU].contains(raw.message.stream) else {
                #expect(fused.message == raw.message)
                continue
            }
            let key = raw.message.stream == .batchedIMU ? "deviceMotion" : "samples"
            #expect(raw.column("\(key).timestamp") == fused.column("\(key).timestamp"))
            #expect(raw.column("accelerometer.x") == fused.column("accelerometer.x"))
            for name in ["attitude", "gravity", "userAcceleration"] { #expect(raw.column("\(key).\(name).x").isEmpty) }
            // The fusion of headphones is wrong for 0.2 s after they are put on; sensors are not.
            let startsWrong = raw.message.device == "pods-1" && raw.sequence < 2
            var difference = SIMD3<Double>()
            for (place, axis) in ["x", "y", "z"].enumerated() {
                let total = raw.column("\(key).acceleration.\(axis)")
                let parts = zip(fused.column("\(key).gravity.\(axis)"), fused.column("\(key).userAcceleration.\(axis)"))
                #expect(startsWrong || zip(total, parts).allSatisfy { abs($0 - $1.0 - $1.1) < 2e-5 })
                let rates = raw.column("\(key).rotationRate.\(axis)")
                let differences = zip(rates, fused.column("\(key).rotationRate.\(axis)")).map { $0 - $1 }
                #expect(rates.count == total.count && differences.count == total.count)
                difference[place] = differences.reduce(0, +) / Double(differences.count)
                #expect(differences.allSatisfy { abs($0 - difference[place]) < 1.1e-4 })
                samples += total.count
            }
            let known = biases[raw.message.device] ?? difference
            biases[raw.message.device] = known
            #expect(((difference - known) * (difference - known)).sum() < 1e-7)
        }
        #expect(samples > 10_000)
        #expect(biases.count == 6)
        for vector in biases.values { #expect(abs((vector * vector).sum().squareRoot() - bias) < 2e-4) }
    }
}
