import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Places of rejected and missing frames")
struct PlaceTests {
    private func rejected(_ device: inout TestDevice, uptime: Double, seq: Int? = nil) -> RecordedMessage {
        device.frame(
            "submersion", uptime: uptime, seq: seq,
            #""measurements":[{"timestamp":\#(uptime),"depth":{"value":1,"unit":"cm"}}]"#)
    }

    @Test("with frame n lost and n + 1 rejected, the gap is published and counted")
    func gapBeforeRejected() {
        var device = TestDevice()
        var harness = PipelineHarness()
        _ = harness.send(device.depth(0.5, uptime: 100, seq: 0))
        let bad = rejected(&device, uptime: 100.6, seq: 2)
        _ = harness.send(bad)
        let messages = harness.send(device.depth(0.6, uptime: 100.9, seq: 3)) + harness.tick(at: bad.at + 1.1)
        let gap = messages.first { $0.kind == "gap" }
        #expect(gap?.number("expected") == 1)
        #expect((gap?.fields["source"] as? [String: Any])?["seq"] as? [Int] == [1, 1])
        #expect(harness.pipeline.counters.missingFrames == 1)
    }

    @Test("a rejected seq 0 of a new boot is not missing")
    func rejectedFirst() {
        var harness = PipelineHarness()
        var first = TestDevice(boot: "one")
        _ = harness.send(first.depth(0.5, uptime: 100))
        var second = TestDevice(boot: "two", offset: first.offset + 200)
        _ = harness.send(rejected(&second, uptime: 1))
        let next = second.depth(3, uptime: 1.3)
        let messages = harness.send(next) + harness.tick(at: next.at + 2)
        #expect(!messages.contains { $0.kind == "gap" })
        #expect(harness.pipeline.counters.missingFrames == 0)
    }

    @Test("two rejected frames before the boot is known hold their places, also the second")
    func rejectedSecond() {
        var harness = PipelineHarness()
        var device = TestDevice(boot: "one")
        _ = harness.send(rejected(&device, uptime: 1, seq: 1))
        _ = harness.send(device.depth(3, uptime: 0.7, seq: 0))
        let last = device.depth(3, uptime: 1.3, seq: 2)
        let messages = harness.send(last) + harness.tick(at: last.at + 2)
        #expect(!messages.contains { $0.kind == "gap" })
        #expect(harness.pipeline.counters.missingFrames == 0)
    }

    @Test("a rejected frame that comes twice holds one place")
    func rejectedTwice() {
        var device = TestDevice()
        var harness = PipelineHarness()
        _ = harness.send(device.depth(0.5, uptime: 100, seq: 0))
        let bad = rejected(&device, uptime: 100.6, seq: 2)
        let frames = [1, 3, 5, 4].map { device.depth(0.5, uptime: 100 + Double($0) * 0.3, seq: $0) }
        for frame in [bad, bad] + frames { _ = harness.send(frame) }
        #expect(harness.pipeline.counters.processed == 5)
        #expect(harness.pipeline.waitingCount == 0)
        #expect(harness.pipeline.counters.missingFrames == 0)
    }

    @Test("the header of a rejected frame moves the order by no more than frames may wait", arguments: [64, 1 << 40])
    func farPlace(seq: Int) {
        var device = TestDevice()
        var harness = PipelineHarness()
        _ = harness.send(device.depth(0.5, uptime: 100, seq: 0))
        let bad = rejected(&device, uptime: 100.3, seq: seq + 1)
        _ = harness.send(bad)
        _ = harness.tick(at: bad.at + 10)
        let good = harness.send(device.depth(3, uptime: 111, seq: 1))
        #expect(good.contains { $0.kind == "depth-state" })
        #expect(harness.pipeline.counters.repeated == 0)
    }

    @Test("two frames of a new boot that arrive swapped after a resumed session are both processed")
    func swappedAfterResumption() {
        var harness = PipelineHarness()
        var old = TestDevice(boot: "old")
        _ = harness.send(old.depth(3, uptime: 100, seq: 0))
        harness.resume(at: old.offset + 300)
        var device = TestDevice(boot: "new", offset: old.offset + 200)
        let first = device.depth(3, uptime: 101, seq: 0)
        let second = device.depth(4, uptime: 101.3, seq: 1)
        let messages = harness.send(second) + harness.send(first)
        #expect(messages.contains { $0.kind == "depth-state" && $0.number("depth") == 3 })
        #expect(harness.pipeline.counters.missingFrames == 0)
        #expect(harness.pipeline.counters.repeated == 0)
    }

    @Test("a frame that was presumed to be processed before a resumed session, and was not, is a gap")
    func presumedWrongly() {
        var device = TestDevice()
        var harness = PipelineHarness()
        harness.resume(at: device.offset + 99)
        let first = device.depth(3, uptime: 100, seq: 1)
        let earlier = device.depth(2, uptime: 99.7, seq: 0)
        _ = harness.send(first)
        #expect(harness.send(earlier).map(\.kind) == ["gap"])
        #expect(harness.pipeline.counters.missingFrames == 1)
        #expect(harness.pipeline.counters.late == 1)
    }

    @Test("of several frames that were presumed to be processed, and were not, each is a gap once")
    func severalPresumedWrongly() {
        var device = TestDevice()
        var harness = PipelineHarness()
        harness.resume(at: device.offset + 99)
        let earlier = (0..<3).map { device.depth(2, uptime: 99 + Double($0) * 0.3, seq: $0) }
        _ = harness.send(device.depth(3, uptime: 100, seq: 3))
        #expect(harness.send(earlier + earlier).map(\.kind) == ["gap"])
        #expect(harness.tick(at: device.offset + 101.2).filter { $0.kind == "gap" }.map { $0.number("expected") } == [2])
        #expect(harness.pipeline.counters.missingFrames == 3)
        #expect(harness.pipeline.counters.late == 3)
        #expect(harness.pipeline.counters.repeated == 3)
    }
}
