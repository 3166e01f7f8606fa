import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("What waits, and how long")
struct WaitingTests {
    private let start = SensorLoggerPipeline.start

    @Test("motion whose units are never known is rejected when its wait ends")
    func unitsDeadline() throws {
        var app = SensorLoggerApp()
        var harness = try SensorLoggerPipeline.make()
        let head = SensorLoggerPipeline.head(seconds: 1)
        let message = app.message(at: start + 0.3, headphones: Array(head[..<10]))
        #expect(harness.send(message).isEmpty)
        #expect(harness.tick(at: message.at + 59).isEmpty)
        let messages = harness.tick(at: message.at + 61)
        #expect(messages.map { $0.text("reason") } == ["unknownUnit"])
        #expect(harness.pipeline.counters.outcomes == harness.pipeline.counters.received)
    }

    @Test(
        "a recording that starts while motion waits for its units, and for an earlier message, ends both waits",
        .timeLimit(.minutes(1)))
    func unitsAtNewRecording() throws {
        var harness = try SensorLoggerPipeline.make()
        var (first, second) = (SensorLoggerApp(session: "one", first: 3), SensorLoggerApp(session: "two", first: 1))
        for (offset, isSecond) in [(0.0, false), (10, true), (20, true)] {
            let head = SensorLoggerPipeline.head(from: start + offset, seconds: 0.02)
            let message =
                isSecond
                ? second.message(at: start + offset + 0.1, headphones: head)
                : first.message(at: start + offset + 0.1, headphones: head)
            _ = harness.send(message)
        }
        _ = harness.tick(at: start + 100)
        #expect(harness.pipeline.waitingCount == 0)
        #expect(harness.pipeline.counters.outcomes == harness.pipeline.counters.received)
    }

    @Test("lost contact under water is published while motion waits for its units")
    func unitsDoNotDelayDepth() throws {
        var app = SensorLoggerApp()
        var harness = try SensorLoggerPipeline.make()
        var device = TestDevice("anna", boot: "phone", offset: 0)
        _ = harness.send(app.message(at: start + 0.3, headphones: Array(SensorLoggerPipeline.head(seconds: 1)[..<10])))
        let boot = try #require(harness.state(of: "anna")?.intake.boots.current)
        device = TestDevice("anna", boot: boot.rawValue, offset: 0)
        _ = harness.send(device.depth(3, uptime: start + 1))
        let messages = harness.tick(at: start + 8)
        #expect(messages.contains { $0.kind == "depth-state" && $0.text("cause") == "silence" })
    }

    @Test("when too many bytes wait in a lane, the oldest wait that is not for depth ends, with a gap")
    func laneLimit() {
        var harness = PipelineHarness(settings: .with { $0.waitingBytes = 60_000 })
        var diver = TestDevice("diver")
        _ = harness.send(diver.depth(0.5, uptime: 99.9, seq: 0))
        _ = harness.send(diver.depth(0.5, uptime: 100, seq: 2))
        var messages: [DerivedJSON] = []
        for index in 0..<10 {
            var device = TestDevice("d\(index)")
            _ = harness.send(device.accelerometer(start: 100, count: 800, seq: 0))
            messages += harness.send(device.accelerometer(start: 101, count: 800, seq: 2))
        }
        #expect(Set(messages.filter { $0.kind == "gap" }.compactMap { $0.text("stream") }) == ["batched-imu"])
        #expect(harness.pipeline.counters.endedForRoom > 0)
        let depth = harness.send(diver.depth(0.6, uptime: 100.3, seq: 1))
        #expect(!depth.contains { $0.kind == "gap" })
    }

    @Test("when one device fills the room of a lane, its own waits end, and older ones of others go on")
    func laneLimitByDevice() {
        var harness = PipelineHarness(settings: .with { $0.waitingBytes = 60_000 })
        var (good, rogue) = (TestDevice("good"), TestDevice("rogue"))
        var messages: [DerivedJSON] = []
        for seq in [0, 2] { messages += harness.send(good.accelerometer(start: 100 + Double(seq), count: 800, seq: seq)) }
        // Depth of the one that fills the room ends before motion of another.
        messages += harness.send(rogue.depth(1, uptime: 103, seq: 0))
        for seq in 2..<60 {
            let body = #""note":"\#(String(repeating: "x", count: 4_000))","measurements":[{"timestamp":103.1}]"#
            messages += harness.send(rogue.frame("submersion", uptime: 103.1, seq: seq, body))
        }
        #expect(harness.pipeline.counters.endedForRoom > 0)
        #expect(Set(messages.filter { $0.kind == "gap" }.compactMap { $0.text("device") }) == ["rogue"])
    }

    @Test("if only depth waits, its oldest wait ends and its frames are processed")
    func laneLimitOfDepth() {
        var harness = PipelineHarness(settings: .with { ($0.waitingBytes, $0.intake.submersionReorderSeconds) = (1_500, 5) })
        var device = TestDevice()
        _ = harness.send(device.depth(0.5, uptime: 100, seq: 0))
        var messages: [DerivedJSON] = []
        for seq in 2..<12 { messages += harness.send(device.depth(3, uptime: 100 + Double(seq) * 0.1, seq: seq)) }
        #expect(messages.contains { $0.kind == "gap" && $0.text("stream") == "submersion" })
        #expect(messages.contains { $0.kind == "depth-state" && $0.text("state") == "submergedDeep" })
    }

    @Test("a message has exactly one outcome")
    func outcomes() {
        var harness = PipelineHarness()
        var device = TestDevice()
        var all = (0..<30).map { device.depth(3, uptime: 100 + Double($0) * 0.3) }
        all.insert(all[4], at: 6)
        all.remove(at: 10)
        all.swapAt(12, 13)
        all.append(device.frame("submersion", uptime: 120, #""measurements":7"#))
        all.append(device.frame("submersion", uptime: 121, retain: true, #""measurements":[]"#))
        all.append(device.raw("status", at: device.offset + 121, retain: true, ""))
        all.append(device.raw("nothing", at: device.offset + 121, "{}"))
        for message in all { _ = harness.send(message) }
        _ = harness.end()
        #expect(harness.pipeline.counters.received == all.count)
        #expect(harness.pipeline.counters.outcomes == all.count)
    }
}
