import GatewayConfiguration
import GatewayPipeline
import GatewayTestSupport
import Synchronization
import TelemetryModel
import Testing

@testable import GatewayRuntime

@Suite("A lane")
struct LaneTests {
    /// Counts how often something is handed over.
    private final class CountingSink: OutboundSink {
        private let handed = Mutex<[[OutboundMessage]]>([])
        var all: [[DerivedJSON]] { handed.withLock { $0 }.map { $0.map(DerivedJSON.init) } }
        func publish(_ messages: [OutboundMessage]) { handed.withLock { $0.append(messages) } }
    }

    private let sink = CountingSink()

    private func lane(_ policy: AccessPolicy = DurableLane.everybody) -> Lane {
        let settings = PipelineHarness.settings
        return Lane(
            plan: .everything, settings: settings, policy: policy,
            admission: Admission(policy: policy), egress: sink)
    }

    @Test("publishes what one pipeline would, in the same order, and hands a batch over once")
    func order() throws {
        var devices = (0..<20).map { TestDevice("d\($0)") }
        let lane = lane()
        var single = PipelineHarness()
        for step in 0..<15 {
            let batch = devices.indices.map { index in
                var frame = devices[index].depth(Double((step * 7 + index) % 12), uptime: 100 + Double(step) * 4)
                frame.at = 1_763_749_000 + Double(step) * 4
                return frame
            }
            try lane.process(batch.map(\.message), at: .at(batch[0].at))
            let expected = batch.flatMap { single.send($0) }.filter { $0.text("cause") != "silence" }
            #expect(sink.all.count == step + 1)
            #expect(sink.all.last?.filter { $0.text("cause") != "silence" }.map(\.lasting) == expected.map(\.lasting))
        }
        #expect(lane.snapshot.counters.received == 300)
        #expect(lane.snapshot.activeDevices == 20)
    }

    @Test("a batch from which nothing is derived is not handed over")
    func silent() throws {
        let lane = lane()
        var device = TestDevice()
        let frame = device.depth(3, uptime: 100)
        try lane.process([frame.message], at: .at(frame.at))
        try lane.process([frame.message], at: .at(frame.at))
        #expect(sink.all.count == 1)
    }

    @Test("a policy that changes between batches drops nothing of the devices it keeps")
    func reload() throws {
        let policy = PipelineHarness.policy("keeper", DevicePolicy(entitlement: .full))
        let lane = lane(policy)
        var keeper = TestDevice("keeper")
        for number in 0..<100 {
            let frame = keeper.depth(number % 2 == 0 ? 3 : 6, uptime: 100 + Double(number))
            try lane.process([frame.message], at: .at(frame.at))
            try lane.run(.replace(policy), at: .at(frame.at))
        }
        #expect(lane.snapshot.counters.processed == 100)
        #expect(lane.snapshot.counters.missingFrames == 0)
    }
}
