import FleetSimulator
import Foundation
import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Repetitions")
struct RepetitionTests {
    private static let settings = PipelineSettings.with { $0.derive.setEnabled(RepetitionDerivation.self, true) }

    private func lifter(_ sets: [LiftSet], seconds: Double, seed: UInt64 = 1) -> Lifter {
        Lifter(
            DeviceOrigin(device: "lifter", unix: 1_763_749_000, uptime: 5_321.25, seed: seed, duration: seconds),
            options: LifterOptions(sets: sets))
    }

    /// Sets of several speeds, ranges and lengths.
    static let population: [(set: LiftSet, seed: UInt64)] = (0..<24).map { index in
        let period = min(1.3 + 0.13 * Double(index), 3.8)
        let range = 0.4 + 0.05 * Double(index)
        let set = LiftSet(start: 6, repetitions: [5, 10, 8][index % 3], period: period, range: range)
        return (set: set, seed: UInt64(index))
    }

    @Test("Counts rise by messages while the set goes on; a second set has the next number", .slow)
    func messages() {
        let sets = [LiftSet(start: 4, repetitions: 8), LiftSet(start: 36, repetitions: 5, period: 2.6, range: 1)]
        let messages = PipelineHarness.run(lifter(sets, seconds: 60), settings: Self.settings)
        let repetitions = messages.filter { $0.kind == "repetition" }
        #expect(repetitions.count >= 6)
        #expect(repetitions.allSatisfy { $0.retain && $0.isNull("exercise") && ($0.number("count") ?? 0) >= 3 })
        #expect(messages.filter { $0.kind == "set" }.compactMap { $0.number("set") } == [1, 2])
        for number in [1.0, 2] {
            let counts = repetitions.filter { $0.number("set") == number }.compactMap { $0.number("count") }
            #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 < $1 })
        }
    }

    @Test("Frames shuffled within 2 s, other frame sizes and a state that is stored and read change nothing", .slow)
    func invariance() throws {
        let device = lifter([LiftSet(start: 4, repetitions: 8)], seconds: 30)
        func relevant(_ messages: [DerivedJSON]) -> [String] {
            messages.filter { ["repetition", "set"].contains($0.kind) }.map(\.lasting)
        }
        let inOrder = relevant(PipelineHarness.run(device, settings: Self.settings))
        #expect(!inOrder.isEmpty)
        #expect(relevant(PipelineHarness.run(device, settings: Self.settings, shuffled: 3)) == inOrder)

        var samples = MotionSamples()
        for index in 0..<2_000 {
            let isLifting = index >= 300 && index <= 1_500
            let angle = isLifting ? 0.5 * (1 - cos(Double.pi * Double(index - 300) / 50)) : 0
            samples.append(100 + Double(index) / 50, gravity: SIMD3(0, -sin(angle), -cos(angle)))
        }
        func run(_ size: Int, saving: Bool) throws -> [DerivedEvent] {
            try RepetitionDerivation.run(
                samples.frames(of: size).map { .samples($0) }, .with { $0.always = true }, saving: saving)
        }
        let events = try run(25, saving: false)
        #expect(abs((events.compactMap { $0.body as? RepetitionSet }.first?.repetitions ?? 0) - 12) <= 1)
        #expect(try run(400, saving: false).map(\.body.path).count == events.count)
        #expect(try run(7, saving: false) == run(7, saving: true))
        #expect(events.allSatisfy { $0.isFinite })
    }

    @Test("A set of three minutes is counted to its end in bounded memory", .slow)
    func long() throws {
        var derivation = RepetitionDerivation()
        var events: [DerivedEvent] = []
        var largest = 0
        for block in 0..<220 {
            var samples = MotionSamples()
            for index in 0..<50 {
                let time = Double(block * 50 + index) / 50
                let isLifting = time >= 10 && time < 190
                let angle = isLifting ? 0.4 * (1 - cos(Double.pi * (time - 10))) : 0
                samples.append(100 + time, gravity: SIMD3(0, -sin(angle), -cos(angle)))
            }
            events += derivation.take(.samples(samples), .with { $0.always = true })
            if block % 20 == 0 { largest = max(largest, try JSONEncoder().encode(derivation).count) }
        }
        let set = try #require(events.compactMap { $0.body as? RepetitionSet }.first)
        #expect(abs(set.repetitions - 90) <= 1)
        #expect(abs(set.period - 2) < 0.02)
        #expect(largest < 60_000, "as JSON; half of it is digits")
    }

    @Test("Too few repetitions, stillness and silence are no set, and a set that silence ends is published")
    func ends() {
        let settings = RepetitionSettings.with { $0.always = true }
        func motion(_ cycles: Int) -> MotionSamples {
            var samples = MotionSamples()
            for index in 0..<(500 + cycles * 100) {
                let angle = index < 500 ? 0 : 0.5 * (1 - cos(Double.pi * Double(index - 500) / 50))
                samples.append(100 + Double(index) / 50, gravity: SIMD3(0, -sin(angle), -cos(angle)))
            }
            return samples
        }
        var derivation = RepetitionDerivation()
        #expect(derivation.take(.samples(motion(0)), settings).isEmpty)
        #expect(derivation.due(settings: settings) == nil)
        derivation = RepetitionDerivation()
        let counted = derivation.take(.samples(motion(8)), settings)
        #expect(counted.allSatisfy { $0.body is Repetition })
        #expect(derivation.due(settings: settings) != nil)
        let ended = derivation.wait(until: 200, settings).compactMap { $0.body as? RepetitionSet }
        #expect(ended.count == 1)
        #expect(abs((ended.first?.repetitions ?? 0) - 8) <= 1)
        #expect(derivation.due(settings: settings) == nil)
    }

    @Test("Numbers that are not finite or huge are survived")
    func hostile() throws {
        let samples = MotionSamples.hostile(1_000, usual: 0) { $0.append($1, gravity: $2, rate: $2) }
        #expect(
            try RepetitionDerivation.run([.samples(samples)], .with { $0.always = true }, saving: true).allSatisfy { $0.isFinite }
        )
    }

    @Test(
        "Walking with a phone on the arm, in the hand, a bag or a pouch is no set", .slow, .recorded,
        arguments: SharedData.walks.filter { !$0.contains("pocket") })
    func walks(path: String) throws {
        let samples = MotionSamples.accelerationOnly(try SharedData.acceleration(path))
        #expect(samples.count > 15_000)
        let events = try RepetitionDerivation.run(samples.frames(of: 100).map { .samples($0) }, .with { $0.always = true })
        #expect(events.isEmpty)
    }

    @Test(
        "In a trouser pocket, which is no wrist, strides pass for repetitions, but steps never do", .slow, .recorded,
        arguments: SharedData.walks.filter { $0.contains("pocket") })
    func pockets(path: String) throws {
        let samples = MotionSamples.accelerationOnly(try SharedData.acceleration(path))
        let events = try RepetitionDerivation.run(samples.frames(of: 100).map { .samples($0) }, .with { $0.always = true })
        for set in events.compactMap({ $0.body as? RepetitionSet }) { #expect(set.period > 0.9) }
    }
}
