import Foundation
import GatewayConfiguration
import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Workers")
struct WorkersTests {
    private final class Outbox: OutboundSink {
        private let lock = NSLock()
        nonisolated(unsafe) private var messages: [OutboundMessage] = []
        var all: [DerivedJSON] { lock.withLock { messages }.map(DerivedJSON.init) }
        func publish(_ more: [OutboundMessage]) { lock.withLock { messages += more } }
    }

    private func workers(_ policy: AccessPolicy, count: Int, _ outbox: Outbox) -> LaneWorkers {
        LaneWorkers(
            plan: .single(of: GatewayConfiguration()), settings: PipelineHarness.settings,
            door: Door(policy: policy, settings: PipelineHarness.settings), count: count, egress: outbox)
    }

    @Test("four workers publish for every device what one pipeline would, in the same order")
    func order() async throws {
        var devices = (0..<20).map { TestDevice("d\($0)") }
        var batches: [[RecordedMessage]] = []
        for step in 0..<15 {
            batches.append(
                devices.indices.map { devices[$0].depth(Double((step * 7 + $0) % 12), uptime: 100 + Double(step) * 4) })
        }
        let policy = AccessPolicy(unknown: .everything)
        let outbox = Outbox()
        let workers = workers(policy, count: 4, outbox)
        var single = PipelineHarness()
        var expected: [DerivedJSON] = []
        for batch in batches {
            let now = GatewayTime(unix: UnixTime(batch[0].at), monotonic: batch[0].at)
            try await workers.process(batch.map(\.message), at: now)
            expected += batch.flatMap { message in
                var message = message
                message.at = batch[0].at
                return single.send(message)
            }
        }
        let snapshot = await workers.snapshot
        #expect(snapshot.counters.received == 300)
        #expect(snapshot.activeDevices == 20)
        for device in devices {
            let prefix = "wearables/\(device.id)/"
            let published = outbox.all.filter { $0.topic.hasPrefix(prefix) && $0.text("cause") != "silence" }.map(\.lasting)
            #expect(published == expected.filter { $0.topic.hasPrefix(prefix) && $0.text("cause") != "silence" }.map(\.lasting))
            #expect(!published.isEmpty)
        }
    }

    @Test("a policy that changes under load drops nothing of the devices it keeps")
    func reload() async throws {
        let outbox = Outbox()
        let device = DeviceID("keeper")
        let policy = AccessPolicy(devices: device.map { [$0: DevicePolicy(entitlement: .full)] } ?? [:])
        let workers = workers(policy, count: 2, outbox)
        var keeper = TestDevice("keeper")
        let frames = (0..<100).map { keeper.depth(Double($0 % 2 == 0 ? 3 : 6), uptime: 100 + Double($0)) }
        let now = GatewayTime(unix: UnixTime(0), monotonic: 0)
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { for frame in frames { try await workers.process([frame.message], at: now) } }
            group.addTask { for _ in 0..<50 { try await workers.run(.replace(policy), at: now) } }
        }
        let snapshot = await workers.snapshot
        #expect(snapshot.counters.processed == 100)
        #expect(snapshot.counters.missingFrames == 0)
    }
}
