import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("How many devices that are not in the registry have state")
struct DeviceLimitTests {
    private func harness(limit: Int) -> PipelineHarness {
        PipelineHarness(settings: .with { ($0.unregisteredDevices, $0.idleStateSeconds) = (limit, 60) })
    }

    @Test("at the limit a new device is refused while the others are active")
    func refused() {
        var harness = harness(limit: 2)
        var devices = (0..<3).map { TestDevice("d\($0)") }
        for index in 0..<2 { _ = harness.send(devices[index].stillHead(uptime: 100)) }
        let messages = harness.send(devices[2].stillHead(uptime: 101))
        #expect(messages.map { $0.text("reason") } == ["deviceLimit"])
        #expect(harness.pipeline.deviceCount == 2)
        #expect(harness.pipeline.counters.rejected[.deviceLimit] == 1)
        #expect(harness.pipeline.counters.outcomes == 3)
    }

    @Test("the device that was silent longest is dropped, and its retained topics are cleared")
    func discarded() {
        var harness = harness(limit: 2)
        var devices = (0..<3).map { TestDevice("d\($0)") }
        _ = harness.send(devices[0].stillHead(uptime: 100))
        _ = harness.send(devices[1].stillHead(uptime: 110))
        let messages = harness.send(devices[2].stillHead(uptime: 165))
        #expect(messages.contains { $0.topic == "wearables/d0/out/access/headphone-motion" && $0.isClearing })
        #expect(harness.state(of: "d0") == nil)
        #expect(harness.pipeline.deviceCount == 2)
    }

    @Test("a device under water is never dropped")
    func underWater() {
        var harness = harness(limit: 1)
        var diver = TestDevice("diver")
        var other = TestDevice("other")
        _ = harness.send(diver.depth(3, uptime: 100))
        _ = harness.send(other.stillHead(uptime: 1_000))
        #expect(harness.pipeline.counters.rejected[.deviceLimit] == 1)
    }
}
