import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Order of frames")
struct SequenceTests {
    private func depths(_ messages: [DerivedJSON]) -> [String] {
        messages.filter { $0.kind == "depth-state" }.compactMap { $0.text("state") }
    }

    @Test("a repeated frame changes nothing and publishes nothing")
    func repeated() {
        var device = TestDevice()
        var harness = PipelineHarness()
        let frame = device.depth(3, uptime: 100)
        #expect(depths(harness.send(frame)) == ["submergedDeep"])
        #expect(harness.send(frame).isEmpty)
        #expect(harness.pipeline.counters.repeated == 1)
    }

    @Test("a frame that overtook another waits for it, and both are processed in order")
    func reordered() {
        var device = TestDevice()
        var harness = PipelineHarness()
        _ = harness.send(device.depth(0.5, uptime: 100))
        let second = device.depth(3, uptime: 100.3)
        let third = device.depth(6, uptime: 101.3)
        #expect(harness.send(third).isEmpty)
        let messages = harness.send(second)
        #expect(messages.filter { $0.kind == "depth-state" }.compactMap { $0.number("depth") } == [3])
        #expect(harness.pipeline.counters.held == 1)
    }

    @Test("a submersion frame is waited for one second, then the gap is published")
    func submersionGap() {
        var device = TestDevice()
        var harness = PipelineHarness()
        _ = harness.send(device.depth(0.5, uptime: 100))
        let late = device.depth(0.6, uptime: 100.3)
        let third = device.depth(3, uptime: 100.6)
        #expect(harness.send(third).isEmpty)
        #expect(harness.tick(at: third.at + 0.9).isEmpty)
        let messages = harness.tick(at: third.at + 1.1)
        #expect(messages.map(\.kind) == ["gap", "depth-state"])
        #expect(messages[0].number("expected") == 1)
        #expect(messages[0].number("receivedCount") == 0)
        #expect(messages[0].text("unit") == "frames")
        #expect(messages[0].text("stream") == "submersion")
        #expect(harness.send(late).filter { $0.kind == "depth-state" }.isEmpty)
        #expect(harness.pipeline.counters.missingFrames == 1)
    }

    @Test("a rejected frame is not missing: the frames after it do not wait for it")
    func rejectedFrameHoldsNothingUp() {
        var device = TestDevice()
        var harness = PipelineHarness()
        _ = harness.send(device.depth(0.5, uptime: 100))
        let bad = device.frame(
            "submersion", uptime: 100.3, #""measurements":[{"timestamp":100.3,"depth":{"value":1,"unit":"cm"}}]"#)
        #expect(harness.send(bad).map(\.kind) == ["rejected"])
        #expect(depths(harness.send(device.depth(3, uptime: 100.6))) == ["submergedDeep"])
        #expect(harness.pipeline.counters.missingFrames == 0)
    }

    @Test("frames held before a last will are processed before it")
    func lastWillEndsWaits() {
        var device = TestDevice()
        var harness = PipelineHarness()
        _ = harness.send(device.status(uptime: 99))
        _ = harness.send(device.stillHead(uptime: 100))
        var held = device.stillHead(uptime: 101)
        held = device.stillHead(uptime: 102)
        _ = harness.send(held)
        var messages = harness.send(
            device.raw("status", at: held.at + 1, #"{"schema":"wearables/1","boot":"b1","state":"offline"}"#))
        messages += harness.tick(at: held.at + 20)
        let states = messages.filter { $0.kind == "connection/device" }
        #expect(states.map { $0.text("cause") } == ["lastWill"])
    }

    @Test("frames that a broken link delivered late come after the silence they could not prevent")
    func lateDelivery() {
        var device = TestDevice()
        var harness = PipelineHarness()
        _ = harness.send(device.depth(3, uptime: 100))
        var late = (1...10).map { device.depth(3, uptime: 100 + Double($0)) }
        for index in late.indices { late[index].at = device.offset + 112 }
        let causes = harness.send(late).filter { $0.kind == "depth-state" }.map { $0.text("cause") }
        #expect(causes == ["silence", "sample"])
    }

    @Test("other streams are waited for five seconds")
    func motionGap() {
        var device = TestDevice()
        var harness = PipelineHarness()
        _ = harness.send(device.accelerometer(start: 100))
        let third = device.accelerometer(start: 100.2, seq: 2)
        _ = harness.send(third)
        #expect(!harness.tick(at: third.at + 4.9).contains { $0.kind == "gap" })
        #expect(harness.tick(at: third.at + 5.1).contains { $0.kind == "gap" })
    }

    @Test("no more than 64 frames wait")
    func windowOverflow() {
        var device = TestDevice()
        var harness = PipelineHarness()
        _ = harness.send(device.depth(0.5, uptime: 100))
        var messages: [DerivedJSON] = []
        for seq in 2...66 {
            messages += harness.send(device.depth(0.5, uptime: 100 + Double(seq) * 0.001, seq: seq))
        }
        #expect(messages.filter { $0.kind == "gap" }.count == 1)
        #expect(harness.pipeline.counters.missingFrames == 1)
    }

    @Test(
        "the first frame of a boot waits if its seq is under 64 and not 0",
        arguments: [(0, false), (1, true), (63, true), (64, false)])
    func firstFrame(seq: Int, waits: Bool) {
        var device = TestDevice()
        var harness = PipelineHarness()
        let messages = harness.send(device.depth(3, uptime: 100, seq: seq))
        #expect(depths(messages).isEmpty == waits)
    }

    @Test("in a resumed session the frames before the first were processed before; a boot that began later waits as ever")
    func resumedSession() {
        var device = TestDevice()
        var harness = PipelineHarness()
        harness.resume(at: device.offset + 99)
        #expect(depths(harness.send(device.depth(3, uptime: 100, seq: 30))) == ["submergedDeep"])
        #expect(harness.pipeline.counters.missingFrames == 0)
        var younger = TestDevice("young", boot: "later", offset: device.offset + 101)
        #expect(depths(harness.send(younger.depth(3, uptime: 1, seq: 5))).isEmpty)
    }

    @Test("a stream without a stored state was never acknowledged: its frames are waited for, in whatever order they come again")
    func resumedWithStates() {
        var device = TestDevice()
        var harness = PipelineHarness()
        harness.resume(at: device.offset + 99, holdsStates: true)
        #expect(depths(harness.send(device.depth(3, uptime: 100.1, seq: 1))).isEmpty)
        #expect(depths(harness.send(device.depth(0.5, uptime: 100, seq: 0))) == ["submergedShallow", "submergedDeep"])
        #expect(harness.pipeline.counters.missingFrames == 0)
        #expect(harness.pipeline.counters.late == 0)
    }

    @Test(
        "a frame that was queued is no silence; one that comes late is, and so is a pause in its own samples",
        arguments: [(false, 101.5, false), (true, 101.5, true), (false, 160, true)])
    func queued(firesTimers: Bool, uptime: Double, isSilent: Bool) {
        var device = TestDevice()
        var harness = PipelineHarness()
        _ = harness.send(device.depth(3, uptime: 100))
        var late = device.depth(0.5, uptime: uptime)
        late.at += 200
        let states = harness.send(late, firesTimers: firesTimers).filter { $0.kind == "depth-state" }
        #expect(states.contains { $0.text("state") == "unknown" } == isSilent)
        #expect(states.last?.text("state") == "submergedShallow")
    }

    @Test("a retained status acts at once, whatever its seq")
    func retainedStatus() {
        var device = TestDevice()
        var harness = PipelineHarness()
        let messages = harness.send(device.frame("status", uptime: 100, seq: 7, retain: true, #""state":"online""#))
        #expect(messages.map(\.kind) == ["connection/device"])
        #expect(harness.pipeline.counters.missingFrames == 0)
    }

    @Test("a new boot starts afresh, and frames of the last four boots are late")
    func boots() {
        var harness = PipelineHarness()
        var devices = (1...6).map { TestDevice(boot: "boot\($0)", offset: 1_763_744_000 + Double($0) * 1000) }
        for index in devices.indices {
            let messages = harness.send(devices[index].depth(3, uptime: 100))
            let last = messages.last { $0.kind == "depth-state" }
            #expect(last?.text("state") == "submergedDeep")
            #expect(last?.text("previous") == "unknown")
        }
        for index in 2...4 { _ = harness.send(devices[index].depth(7, uptime: 200)) }
        #expect(harness.pipeline.counters.late == 3)
        _ = harness.send(devices[5].depth(3, uptime: 101))
        #expect(harness.pipeline.counters.late == 3)
    }

    @Test("a new boot leaves the depth unknown before it is known again")
    func rebootUnderWater() {
        var harness = PipelineHarness()
        var first = TestDevice(boot: "one")
        var second = TestDevice(boot: "two")
        _ = harness.send(first.depth(3, uptime: 100))
        let messages = harness.send(second.depth(3, uptime: 102)).filter { $0.kind == "depth-state" }
        #expect(messages.map { $0.text("cause") } == ["reboot", "sample"])
        #expect(messages.map { $0.text("quality") } == ["stale", "valid"])
    }

    @Test("a retained status of another boot than the flowing one is late")
    func retainedOfOldBoot() {
        var harness = PipelineHarness()
        var old = TestDevice(boot: "old")
        var current = TestDevice(boot: "new")
        _ = harness.send(current.depth(3, uptime: 100))
        _ = harness.send(old.status(uptime: 50))
        #expect(harness.pipeline.counters.late == 1)
        #expect(harness.send(current.depth(5, uptime: 100.5)).isEmpty)
        #expect(harness.pipeline.counters.late == 1)
    }

    @Test("frames delivered in shuffled order within the wait give what the right order gives", arguments: 0..<10)
    func shuffled(seed: UInt64) {
        var device = TestDevice()
        let frames = (0..<40).map { index in
            device.depth(abs(Double(index % 20) - 10) / 2, uptime: 100 + Double(index) * 0.3)
        }
        var ordered = PipelineHarness()
        let expected = ordered.send(frames).map(\.lasting)

        var random = SeededGenerator(seed: seed)
        var shuffled = PipelineHarness(settings: .with { $0.intake.submersionReorderSeconds = 5 })
        let groups = stride(from: 0, to: frames.count, by: 8).map { Array(frames[$0..<min($0 + 8, frames.count)]) }
        var messages: [DerivedJSON] = []
        for group in groups {
            let at = group.map(\.at).max() ?? 0
            for var frame in group.shuffled(using: &random) {
                frame.at = at
                messages += shuffled.send(frame)
            }
        }
        #expect(messages.map(\.lasting) == expected)
    }

    @Test("large frames wait by their bytes, not only by their number")
    func bytes() {
        var device = TestDevice()
        var harness = PipelineHarness(settings: .with { $0.intake.streamBytes = 100_000 })
        _ = harness.send(device.accelerometer(start: 100, count: 800, seq: 0))
        var messages: [DerivedJSON] = []
        for seq in 2...12 { messages += harness.send(device.accelerometer(start: 100 + Double(seq), count: 800, seq: seq)) }
        #expect(messages.contains { $0.kind == "gap" && $0.number("expected") == 1 })
    }
}
