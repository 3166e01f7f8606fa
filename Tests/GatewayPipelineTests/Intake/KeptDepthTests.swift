import GatewayRuntime
import GatewayTestSupport
import ProtobufFrames
import StateCoding
import TelemetryModel
import Testing

@testable import GatewayPipeline

@Suite("What was decoded of frames that wait")
struct KeptDepthTests {
    /// Refuses every payload.
    private let refusing = MessageDecoder(limits: DecodeLimits(maximumPayloadBytes: 1))

    private func isKept(_ held: WaitingMessage) -> Bool { (try? held.decoded(by: refusing)) != nil }

    private func waiting(_ harness: PipelineHarness) throws -> [WaitingMessage] {
        let device = try #require(Identifier("d1"))
        let state = try #require(harness.pipeline.state(of: device))
        return state.intake.waiting.messages
    }

    @Test("a depth frame keeps it in memory, and nothing of it is stored")
    func depth() throws {
        var (harness, diver) = (PipelineHarness(), TestDevice())
        _ = harness.send(diver.depth(0.5, uptime: 100, seq: 0))
        let frame = diver.depth(2, uptime: 101, seq: 2)
        _ = harness.send(frame)
        let held = try #require(try waiting(harness).first)
        let decoded = try held.decoded(by: refusing)
        #expect(try decoded == MessageDecoder().decode(frame.message, stream: .submersion, received: held.received))
        let stored = try StateCoder.decode(WaitingMessage.self, from: StateCoder.encode(held))
        #expect(stored == held && !isKept(stored))
        #expect(try stored.decoded(by: MessageDecoder()) == decoded)
    }

    @Test("frames of other streams are decoded again, and depths that take more room than their payload")
    func others() throws {
        var (harness, diver) = (PipelineHarness(), TestDevice())
        _ = harness.send(diver.turn(start: 100))
        _ = diver.turn(start: 104)
        _ = harness.send(diver.turn(start: 108))
        _ = harness.send(diver.depth(0.5, uptime: 112.2, seq: 0))
        let measurements = (0..<8).map { #"{"timestamp":\#(112.3 + Double($0) / 10),"depth":{"value":2,"unit":"m"}}"# }
        var frame = diver.frame(
            "submersion", uptime: 113.2, seq: 2, #""measurements":[\#(measurements.joined(separator: ","))]"#)
        frame.message.payload = try ProtobufFrameEncoder(.floats).encode(json: frame.message.payload, stream: .submersion)
        _ = harness.send(frame)
        #expect(try waiting(harness).map(isKept) == [false, false])
    }

    @Test("it is dropped once what waits takes more than half of the room, and kept again when a quarter is left")
    func room() throws {
        var settings = PipelineHarness.settings
        settings.waitingBytes = 4_000
        settings.intake.reorderSeconds = 20
        settings.intake.submersionReorderSeconds = 20
        var (harness, diver) = (PipelineHarness(settings: settings), TestDevice())
        _ = harness.send(diver.depth(0.5, uptime: 100, seq: 0))
        let missing = diver.depth(0.5, uptime: 100.1, seq: 1)
        var sequence = 2
        while harness.pipeline.waitingBytes <= 2_000 {
            #expect(try waiting(harness).allSatisfy(isKept))
            _ = harness.send(diver.depth(0.5, uptime: 100 + Double(sequence) / 10, seq: sequence))
            sequence += 1
        }
        #expect(try waiting(harness).count > 5)
        #expect(try !waiting(harness).contains(where: isKept))
        var late = missing
        late.at = 1_763_744_000 + 100 + Double(sequence) / 10
        let released = harness.send(late)
        #expect(!released.contains { $0.kind == "gap" || $0.kind == "rejected" })
        #expect(try waiting(harness).isEmpty)
        _ = harness.send(diver.depth(0.5, uptime: 105, seq: sequence + 1))
        #expect(try waiting(harness).map(isKept) == [true])
    }
}
