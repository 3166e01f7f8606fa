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

    @Test("frames shuffled within 3 s change nothing", .slow, arguments: [1, 2, 3] as [UInt64])
    func rallyShuffled(seed: UInt64) throws {
        let (frames, truth) = try RecordedRally.frames(ending: Self.end)
        var random = SeededGenerator(seed: seed)
        let delayed = frames.late(by: 3, using: &random)
        expect(impacts(delayed), at: truth)
        #expect(impacts(delayed).map(\.lasting).sorted() == impacts(frames).map(\.lasting).sorted())
    }
}
