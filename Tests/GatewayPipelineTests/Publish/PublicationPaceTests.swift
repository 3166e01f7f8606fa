import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@testable import GatewayPipeline

@Suite("What a device can make the gateway publish is limited")
struct PublicationPaceTests {
    /// Frames that each begin a new boot, `perSecond` of them from `start` on.
    private func newBoots(_ range: Range<Int>, perSecond: Double, start: Double) -> [RecordedMessage] {
        range.map { index in
            let at = start + Double(index) / perSecond
            return TestDevice.submersion(boot: "b\(index)", sequence: 0, uptime: at - start + 100, depth: 3, at: at)
        }
    }

    @Test("a hundred boots are published at once, and ten messages of a kind a second from then on", .slow)
    func boots() {
        var harness = PipelineHarness()
        let messages = harness.send(newBoots(0..<20_000, perSecond: 5_000, start: TestDevice.start))
        #expect((200...260).contains(messages.filter { $0.kind == "depth-state" }.count))
        #expect(messages.count < 450)
        #expect(harness.pipeline.counters.messagesOverLimit > 50_000)
        #expect(messages.filter { $0.kind == "rejected" }.map { $0.text("reason") }.allSatisfy { $0 == "messageLimit" })
    }

    @Test("a boot a second is no more than a device may begin", .slow)
    func slowBoots() {
        var harness = PipelineHarness()
        let messages = harness.send(newBoots(0..<500, perSecond: 0.9, start: TestDevice.start))
        #expect(messages.filter { $0.kind == "depth-state" }.count >= 999)
        #expect(harness.pipeline.counters.messagesOverLimit == 0)
    }

    @Test("the newest state is published a tenth of a second later at most, and nothing of a slower device waits", .slow)
    func newest() throws {
        var harness = PipelineHarness()
        _ = harness.send(newBoots(0..<1_000, perSecond: 10_000, start: TestDevice.start))
        let deeper = TestDevice.submersion(boot: "last", sequence: 0, uptime: 10, depth: 45, at: TestDevice.start + 0.2)
        var messages = harness.send(deeper)
        messages += harness.tick(at: TestDevice.start + 0.301)
        #expect(messages.last { $0.kind == "depth-state" }?.text("state") == "sensorDepthError")
        #expect(harness.pipeline.state(of: try TestDevice.name)?.retained.heldKinds.contains("depth-state") == false)
    }

    @Test("a state that waits is kept, and published by the gateway that reads it", .slow)
    func kept() throws {
        var harness = PipelineHarness()
        _ = harness.send(newBoots(0..<1_000, perSecond: 10_000, start: TestDevice.start))
        let deeper = TestDevice.submersion(boot: "last", sequence: 0, uptime: 10, depth: 45, at: TestDevice.start + 0.1)
        _ = harness.send(deeper)
        #expect(harness.pipeline.state(of: try TestDevice.name)?.retained.heldKinds.contains("depth-state") == true)
        var next = try harness.restarted(at: TestDevice.start + 0.12, keepsWaiting: false)
        let messages = next.tick(at: TestDevice.start + 0.3)
        #expect(messages.last { $0.kind == "depth-state" }?.text("state") == "sensorDepthError")
    }

    @Test("a backlog of a day with 1,400 changes of the depth is published whole", .slow)
    func backlog() {
        var harness = PipelineHarness()
        let frames = (0..<1_400).map { index -> RecordedMessage in
            let uptime: Double = 100 + Double(index) * 60
            return TestDevice.submersion(
                boot: "b", sequence: UInt64(index), uptime: uptime, depth: index.isMultiple(of: 2) ? 3 : 0.2,
                at: TestDevice.start + 90_000,
                sent: TestDevice.start + uptime)
        }
        let messages = harness.send(frames)
        #expect(messages.filter { $0.kind == "depth-state" }.count >= 2_700)
        #expect(harness.pipeline.counters.messagesOverLimit == 0)
    }

    @Test("a number of another machine's clock limits nothing", arguments: [1e9, .infinity])
    func otherClock(previous: Double) {
        #expect(EvenPace.messages.next(after: previous, at: 10) == 10.1)
    }

    @Test("status messages that change the state with each are limited, too", .slow)
    func status() {
        var harness = PipelineHarness()
        let frames = (0..<16_000).map { index -> RecordedMessage in
            let seconds = Double(index) / 5_000
            return TestDevice.changedStatus(
                sequence: UInt64(index), uptime: 100 + seconds, state: index.isMultiple(of: 2) ? "online" : "offline",
                at: TestDevice.start + seconds)
        }
        let messages = harness.send(frames)
        #expect(messages.filter { $0.kind == "connection/device" }.count < 10_100)
    }

    @Test("reports of clocks that are set back are published sixteen at once, and one a second from then on")
    func reports() {
        var limiter = RejectionLimiter()
        let admitted = (0..<100).compactMap { _ in limiter.admit(.clockSetBack, count: 2, at: 50, perSecond: 1, burst: 16) }
        #expect(admitted == Array(repeating: 2, count: 16))
        #expect(limiter.admit(.clockSetBack, at: 51.1, perSecond: 1, burst: 16) == 169)
    }

    @Test("boots are limited at every uptime of the machine", arguments: [10, 3_100, 4_050, 8_100, 1e5, 1e7])
    func uptimes(monotonic: Double) {
        var (boots, messages, published): (Double?, Double?, Int) = (nil, nil, 0)
        for index in 0..<20_000 {
            let now = monotonic + Double(index) / 10_000
            boots = EvenPace.boots.next(after: boots, at: now) ?? EvenPace.boots.exhausted(at: now)
            guard EvenPace.boots.isExhausted(boots, at: now) else { continue }
            let next = EvenPace.messages.next(after: EvenPace.messages.leavingOne(of: messages, at: now), at: now)
            if let next { (messages, published) = (next, published + 1) }
        }
        #expect((15...25).contains(published))
    }

    @Test("at a stop the state that waits is published", .slow)
    func stop() {
        var harness = PipelineHarness()
        _ = harness.send(newBoots(0..<1_000, perSecond: 10_000, start: TestDevice.start))
        _ = harness.send(TestDevice.submersion(boot: "last", sequence: 0, uptime: 10, depth: 45, at: TestDevice.start + 0.1))
        let messages = harness.end()
        #expect(messages.last { $0.kind == "depth-state" }?.text("state") == "unknown")
    }

    @Test("a device that clears its status keeps its limits", .slow)
    func cleared() throws {
        var harness = PipelineHarness()
        _ = harness.send(newBoots(0..<1_000, perSecond: 10_000, start: TestDevice.start))
        _ = harness.send(TestDevice().raw("status", at: TestDevice.start + 0.1, retain: true, ""))
        let budgets = try #require(harness.pipeline.state(of: try TestDevice.name)).budgets
        #expect(EvenPace.boots.isExhausted(budgets.boots, at: TestDevice.start + 0.1))
    }
}
