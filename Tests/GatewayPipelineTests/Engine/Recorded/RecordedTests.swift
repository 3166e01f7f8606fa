import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Real recordings through the pipeline", .recorded)
struct RecordedTests {
    private static let end = 1_763_750_000.0

    private func impacts(_ frames: [RecordedMessage]) -> [DerivedJSON] {
        var harness = PipelineHarness()
        return (harness.send(frames) + harness.end()).filter { $0.kind == "impact" }
    }

    private func expect(_ found: [DerivedJSON], at truth: [Double]) {
        #expect(found.count == truth.count)
        for (impact, expected) in zip(found.compactMap { $0.number("impactAt") }.sorted(), truth) {
            #expect(abs(impact - expected) < 0.010)
        }
    }

    @Test("the rally has exactly its seven impacts, each within 10 ms")
    func rally() throws {
        let (frames, truth) = try RecordedRally.frames(ending: Self.end)
        expect(impacts(frames), at: truth)
    }

    @Test("batch edges on every impact change nothing")
    func rallyEdges() throws {
        let (frames, truth) = try RecordedRally.frames(ending: Self.end, edges: RecordedRally.impacts)
        expect(impacts(frames), at: truth)
    }

    @Test("frames shuffled within 3 s change nothing", .slow, arguments: [1, 2, 3] as [UInt64])
    func rallyShuffled(seed: UInt64) throws {
        let (frames, truth) = try RecordedRally.frames(ending: Self.end)
        var random = SeededGenerator(seed: seed)
        let delayed = frames.map { frame in
            var frame = frame
            frame.at += Double.random(in: 0...3, using: &random)
            return frame
        }.sorted { $0.at < $1.at }
        expect(impacts(delayed), at: truth)
        #expect(impacts(delayed).map(\.lasting).sorted() == impacts(frames).map(\.lasting).sorted())
    }

    private func entries(into state: DepthState, _ messages: [DerivedJSON]) -> Int {
        var isFirst = true
        return messages.count { message in
            defer { if message.text("state") != "unknown" { isFirst = false } }
            guard let new = message.text("state").flatMap(DepthState.init(name:)),
                let old = message.text("previous").flatMap(DepthState.init(name:)), new >= state, old < state
            else { return false }
            return old != .unknown || isFirst
        }
    }

    private func depths(_ dive: RecordedDive, entitlement: DepthEntitlement) throws -> [DerivedJSON] {
        let settings = PipelineSettings.with { $0.derive[SubmersionDerivation.self].staleSeconds = 30 }
        var harness = PipelineHarness(
            settings: settings, policy: PipelineHarness.policy("diver", DevicePolicy(entitlement: entitlement)))
        return harness.send(try dive.frames(ending: Self.end)).filter { $0.kind == "depth-state" }
    }

    @Test("with the full entitlement the entries are the descents past 1 m and 40 m", .slow, arguments: RecordedDive.all)
    func full(dive: RecordedDive) throws {
        let messages = try depths(dive, entitlement: .full)
        #expect(entries(into: .submergedDeep, messages) == dive.descents.past1)
        #expect(entries(into: .pastMaxDepth, messages) == dive.descents.past40)
        #expect(messages.allSatisfy { $0.text("cause") != nil })
    }

    @Test(
        "with the shallow entitlement they are the descents past 1 m and 6 m, and depth is withheld above 6.6 m", .slow,
        arguments: RecordedDive.all)
    func shallow(dive: RecordedDive) throws {
        let messages = try depths(dive, entitlement: .shallow)
        #expect(entries(into: .submergedDeep, messages) == dive.descents.past1)
        #expect(entries(into: .pastMaxDepth, messages) == dive.descents.past6)
        #expect(messages.allSatisfy { ($0.number("depth") ?? 0) <= 6.6 })
        for message in messages where message.text("state") == "sensorDepthError" { #expect(message.isNull("depth")) }
    }
}
