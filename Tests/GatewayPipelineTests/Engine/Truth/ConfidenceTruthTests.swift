@testable import FleetSimulator
@testable import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

/// Of what has a confidence, as much is right: on simulated people that were not used to fit it. `make truth` prints the figures.
@Suite("Truth: confidence", .slow)
struct ConfidenceTruthTests {
    private static let seeds = 301...330 as ClosedRange<UInt64>

    /// Prints what is right by confidence, and demands nine of ten where it is at least 0.9.
    private func judge(_ kind: String, _ data: String, _ events: [(confidence: Double, isRight: Bool)]) {
        for range in [0..<0.5, 0.5..<0.7, 0.7..<0.9, 0.9..<1.01] as [Range<Double>] {
            let inside = events.filter { range.contains($0.confidence) }
            guard !inside.isEmpty else { continue }
            let share = Double(inside.count { $0.isRight }) / Double(inside.count)
            let name = "\(range.lowerBound)-\(min(1, range.upperBound))"
            Truth.row(
                kind, data: data, "share right of \(inside.count) with a confidence of \(name)", Truth.number(share),
                goal: range.lowerBound == 0.9 ? ">= 0.9" : "")
            if range.lowerBound == 0.9 { #expect(inside.count > 100 && share >= 0.9, "\(kind), \(data)") }
        }
        #expect(events.allSatisfy { (0...1).contains($0.confidence) })
    }

    @Test("strokes", arguments: StrokeSettings.Preset.allCases)
    func strokes(preset: StrokeSettings.Preset) {
        let events = Self.seeds.flatMap { seed in
            let player = NoisyPlayer(seed: seed, isTableTennis: preset == .tableTennis)
            let found = GatewayPipelineTests.strokes([player.samples], .counting(preset))
            let isRight = player.matches(zip(found, found.names).map { ($0.time.seconds, $1) })
            return zip(found.strokes.map(\.confidence), isRight).map { (confidence: $0, isRight: $1) }
        }
        judge("stroke", "simulated players with other movements, \(preset)", events)
    }

    @Test("punches")
    func punches() throws {
        let events = try Self.seeds.flatMap { seed in
            let boxer = NoisyBoxer(seed: seed)
            let start = WorkoutChange(state: .running, activity: "boxing", time: DeviceTime(90))
            let frames = boxer.samples(hertz: 100).frames(of: 50).map { PunchDerivation.Input.motion($0) }
            let found = try PunchDerivation.run([.workout(start)] + frames, PunchSettings()).compactMap { $0.body as? Punch }
            let isRight = boxer.matches(found.map(\.impactAt.seconds), within: 0.06)
            return zip(found.map(\.confidence), isRight).map { (confidence: $0, isRight: $1) }
        }
        judge("punch", "simulated boxers with other movements", events)
    }

    @Test("swings")
    func swings() {
        let events = Self.seeds.flatMap { seed in
            let origin = DeviceOrigin(device: "b", unix: 1_763_749_000, uptime: 5_321.25, seed: seed, duration: 120)
            var random = SeededGenerator(seed: seed)
            // A swing of any time begins in every 8 s at 2 s or later, a movement that is none 4 s later: some are as fast as swings.
            let starts = stride(from: 1.0, to: 110, by: 8)
            let waves = starts.map { start in
                ArmWave(
                    start: start + 4, duration: 2, peakRotationRate: Double.random(in: 4...13, using: &random),
                    frequency: Double.random(in: 0.7...1.6, using: &random))
            }
            let swings = starts.map { start in
                FleetSimulator.Swing(
                    start: start + 1, timeToContact: Double.random(in: 0.17...0.3, using: &random),
                    peakRotationRate: Double.random(in: 9...20, using: &random),
                    impactAcceleration: Bool.random(using: &random) ? 25 : nil)
            }
            let batter = Batter(origin, options: BatterOptions(swings: .listed(swings), waves: waves))
            let truth = batter.truth(through: 120)
            let found = PipelineHarness.run(batter, settings: PipelineHarness.settings).filter { $0.kind == "swing" }
            return found.map { swing in
                let start = swing.number("startAt") ?? 0
                let match = truth.first { abs($0.start - start) < 0.3 }
                let isRight = match.map { ($0.impact != nil) == swing.flag("contact") } ?? false
                return (confidence: swing.number("confidence") ?? 0, isRight: isRight)
            }
        }
        judge("swing", "simulated batters with other movements", events)
    }
}
