import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import Metrics
import TelemetryModel
import Testing

@Suite("Counts of messages, samples and devices")
struct CountTests {
    @Test("A message is counted with its stream, its outcome, its bytes and its samples")
    func streams() throws {
        var harness = PipelineHarness()
        var device = TestDevice()
        let frame = device.stillHead(uptime: 100)
        _ = harness.send(frame)
        _ = harness.send(frame)
        let counters = harness.pipeline.counters
        let counts = try #require(counters.streams[.headphoneMotion])
        #expect(counts.processed == 1 && counts.repeated == 1 && counts.samples > 0)
        #expect(counters.streams.count == 1)
        #expect(counters.received == 2 && counters.outcomes == 2)
        #expect(counters.receivedBytes == 2 * frame.message.payload.count)
        #expect(counters.age.counts.reduce(0, +) == 2)
    }

    @Test("A rejected message is counted with the stream of its topic, one of no stream without")
    func rejected() {
        var harness = PipelineHarness()
        let device = TestDevice()
        _ = harness.send([device.raw("status", at: 10, "["), device.raw("nothing", at: 10, "{}")])
        let counters = harness.pipeline.counters
        #expect(counters.streams[.status]?.rejected.values.reduce(0, +) == 1)
        #expect(counters.streams[nil]?.rejected == [.unknownStream: 1])
        #expect(counters.outcomes == counters.received)
    }

    @Test("Devices are counted by the depth state and the connection that were published last")
    func fleet() {
        var harness = PipelineHarness()
        var device = TestDevice()
        _ = harness.send([device.status(uptime: 99), device.depth(3, uptime: 100)])
        #expect(harness.pipeline.fleet.depths[.submergedDeep] == 1)
        #expect(harness.pipeline.fleet.connections[.connected] == 1)
        _ = harness.send(device.depth(0.5, uptime: 103))
        #expect(harness.pipeline.fleet.depths.filter { $0.value != 0 } == [.submergedShallow: 1])
        _ = harness.replace(policy: AccessPolicy())
        #expect(harness.pipeline.fleet.depths.values.allSatisfy { $0 == 0 })
        #expect(harness.pipeline.fleet.connections.values.allSatisfy { $0 == 0 })
    }

    @Test("A restored device has the state that was published of it, and waiting messages are counted")
    func restored() throws {
        var harness = PipelineHarness()
        var device = TestDevice()
        _ = harness.send(device.depth(0.5, uptime: 100))
        _ = device.depth(3, uptime: 100.3)
        _ = harness.send(device.depth(3, uptime: 101.3))
        #expect(harness.pipeline.waitingCount == 1)
        let next = try harness.restarted(at: 1_763_744_102)
        #expect(next.pipeline.fleet.depths[.submergedShallow] == 1)
        #expect(next.pipeline.waitingCount == 1)
    }
}
