import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Boots of a device")
struct BootTests {
    private func states(_ messages: [DerivedJSON]) -> [String] {
        messages.filter { $0.kind == "depth-state" }.compactMap { $0.text("state") }
    }

    /// A dive at 3 m, a frame every 0.3 s from uptime 100 on.
    private func dive(_ harness: inout PipelineHarness, _ device: inout TestDevice, frames: Range<Int> = 0..<10) {
        for index in frames { _ = harness.send(device.depth(3, uptime: 100 + Double(index) * 0.3)) }
    }

    @Test("an app launched again on the same clock becomes current at once, though its clock started 20 ms earlier")
    func relaunch() {
        var harness = PipelineHarness()
        var first = TestDevice(boot: "one")
        dive(&harness, &first)
        var second = TestDevice(boot: "two", offset: first.offset - 0.02)
        #expect(states(harness.send(second.depth(7, uptime: 110))) == ["unknown", "submergedDeep"])
        #expect(harness.pipeline.counters.late == 0)
    }

    @Test("a reboot with the clock set back by 10 minutes waits for the silence of the boot before and for rising uptimes")
    func clockSetBack() {
        var harness = PipelineHarness()
        var first = TestDevice(boot: "one")
        dive(&harness, &first)
        let start = first.offset + 103
        var second = TestDevice(boot: "two", offset: start - 600)
        var frame = second.depth(7, uptime: 1)
        frame.at = start + 1
        #expect(harness.send(frame).isEmpty)
        frame = second.depth(7.1, uptime: 1.3)
        frame.at = start + 1.3
        #expect(states(harness.send(frame)).isEmpty)
        // The last frame of the first boot arrived 102.75 s after its zero.
        let messages = harness.tick(at: first.offset + 107.8)
        #expect(states(messages).contains("submergedDeep"))
        #expect(messages.first { $0.text("state") == "submergedDeep" }?.number("depth") == 7)
        #expect(harness.pipeline.counters.missingFrames == 0)
        #expect(harness.pipeline.counters.late == 0)
    }

    @Test("a stray frame with yesterday's clock changes nothing, and is late in the end")
    func strayWithClock() {
        var harness = PipelineHarness()
        var device = TestDevice(boot: "one")
        dive(&harness, &device)
        var stray = TestDevice(boot: "stray", offset: device.offset - 86_400)
        var frame = stray.depth(1, uptime: 50)
        frame.at = device.offset + 103
        #expect(harness.send(frame).isEmpty)
        var later: [DerivedJSON] = []
        for index in 10..<40 { later += harness.send(device.depth(3, uptime: 100 + Double(index) * 0.3)) }
        #expect(states(later).isEmpty)
        #expect(harness.pipeline.counters.late == 0)
        _ = harness.tick(at: device.offset + 404)
        #expect(harness.pipeline.counters.late == 1)
        #expect(harness.pipeline.counters.outcomes == harness.pipeline.counters.received)
    }

    @Test("frames that wait for another boot have an outcome when the device is denied")
    func deniedWhileWaiting() {
        var harness = PipelineHarness(policy: PipelineHarness.policy("d1", .everything))
        var device = TestDevice(boot: "one")
        dive(&harness, &device)
        var other = TestDevice(boot: "other", offset: device.offset - 86_400)
        var frame = other.depth(1, uptime: 50)
        frame.at = device.offset + 103
        _ = harness.send(frame)
        #expect(harness.pipeline.waitingCount == 1)
        let denied = DevicePolicy.with { $0.authorization = .denied }
        _ = harness.replace(policy: PipelineHarness.policy("d1", denied))
        #expect(harness.pipeline.waitingCount == 0)
        #expect(harness.pipeline.counters.outcomes == harness.pipeline.counters.received)
    }

    @Test("a stray frame without a clock becomes current, and the next frame of the boot before makes that current again")
    func strayWithoutClock() {
        var harness = PipelineHarness(policy: AccessPolicy(unknown: .everything))
        var device = TestDevice(boot: "one")
        _ = harness.send(device.frame("submersion", uptime: 99, #""events":[{"timestamp":99,"state":"submerged"}]"#))
        dive(&harness, &device)
        var stray = TestDevice(boot: "stray", offset: device.offset)
        stray.sendsWallClock = false
        var frame = stray.depth(2, uptime: 7)
        frame.at = device.offset + 103
        #expect(states(harness.send(frame)) == ["unknown", "submergedDeep"])
        let back = harness.send(device.depth(3, uptime: 103.3))
        #expect(states(back) == ["unknown", "submergedDeep"])
        #expect(harness.pipeline.counters.late == 0)
        #expect(harness.pipeline.counters.missingFrames == 0)
        let end = harness.send(
            device.frame("submersion", uptime: 120, #""events":[{"timestamp":120,"state":"notSubmerged"}]"#))
        let dive = end.first { $0.kind == "dive" }
        #expect((dive?.number("start") ?? 0) < device.offset + 101)
    }

    @Test("a frame of the boot before with no later clock is late")
    func lateFrame() {
        var harness = PipelineHarness()
        var first = TestDevice(boot: "one")
        dive(&harness, &first)
        var second = TestDevice(boot: "two")
        _ = harness.send(second.depth(3, uptime: 110))
        var late = first.depth(3, uptime: 103)
        late.at = first.offset + 111
        #expect(harness.send(late).isEmpty)
        #expect(harness.pipeline.counters.late == 1)
    }

    @Test("more than three changes back and forth within a minute are reported as two devices with one id")
    func twoDevices() {
        var harness = PipelineHarness()
        var one = TestDevice(boot: "one")
        var two = TestDevice(boot: "two")
        var messages: [DerivedJSON] = []
        for second in 0..<4 {
            messages += harness.send(one.depth(3, uptime: 100 + Double(second)))
            messages += harness.send(two.depth(9, uptime: 100.5 + Double(second)))
        }
        #expect(messages.filter { $0.kind == "rejected" }.map { $0.text("reason") }.first == "identityConflict")
        #expect(harness.pipeline.counters.identityConflicts > 0)
        #expect(harness.pipeline.counters.outcomes == harness.pipeline.counters.received)
    }

    @Test("many new boots at once are one device that the broker had queued")
    func queuedBoots() {
        var harness = PipelineHarness()
        for number in 0..<6 {
            var device = TestDevice(boot: "b\(number)", offset: 1_000 + Double(number) * 40)
            var frame = device.depth(3, uptime: 100)
            frame.at = 1_700 + Double(number)
            _ = harness.send(frame)
        }
        #expect(harness.pipeline.counters.identityConflicts == 0)
    }

    @Test("boots with the greatest seq do not end the process: what is missing is counted to the greatest number", .slow)
    func missingFramesSaturate() {
        var harness = PipelineHarness()
        for boot in 0..<1_025 {
            var device = TestDevice(boot: "b\(boot)", offset: 1_763_744_000 + Double(boot) * 10)
            _ = harness.send(device.depth(0.5, uptime: 100, seq: 0))
            _ = harness.send(device.depth(0.5, uptime: 100.3, seq: (1 << 53) - 1))
        }
        _ = harness.end()
        #expect(harness.pipeline.counters.missingFrames == .max)
    }

    @Test("A boot that comes back after another one was under water is not at the surface by a depth that cannot be")
    func returnedFromUnderWater() {
        var harness = PipelineHarness()
        var (one, two) = (TestDevice(boot: "one"), TestDevice(boot: "two"))
        (one.sendsWallClock, two.sendsWallClock) = (false, false)
        _ = harness.send([one.depth(0, uptime: 100), one.depth(0, uptime: 103)])
        _ = harness.send(two.depth(20, uptime: 104))
        let back = harness.send((0..<3).map { one.depth(-5, uptime: 105 + Double($0)) })
        #expect(!states(back).isEmpty && states(back).allSatisfy { $0 == "unknown" })
    }

    @Test("A command with the uptime of its sender says nothing of the device's clock")
    func commandClock() {
        var harness = PipelineHarness()
        var device = TestDevice()
        _ = harness.send(device.depth(20, uptime: 100))
        var command = device.frame("command", uptime: 90_000, #""command":"resetHeadPose""#)
        command.at = device.offset + 100.5
        _ = harness.send([command, device.depth(20, uptime: 101)])
        #expect(states(harness.tick(at: device.offset + 103)).isEmpty)
    }

    @Test("A command with the uptime of its sender takes effect on arrival: no timer runs up to that uptime")
    func commandTime() {
        var harness = PipelineHarness()
        var device = TestDevice()
        device.sendsWallClock = false
        _ = harness.send(device.depth(20, uptime: 100))
        var command = device.frame("command", uptime: 90_000, #""command":"resetCounts""#)
        command.at = device.offset + 100.5
        #expect(states(harness.send(command)).isEmpty)
        #expect(harness.pipeline.counters.processed == 2)
    }

    @Test("What another lane accepts of an earlier boot says nothing of the clock of this one")
    func followed() throws {
        func lane(_ stream: StreamName) -> PipelineHarness {
            var harness = PipelineHarness()
            harness.pipeline = Pipeline(
                settings: PipelineHarness.settings, policy: AccessPolicy(unknown: .everything), streams: [stream])
            return harness
        }
        var (safety, motion, bulk) = (lane(.status), lane(.headphoneMotion), lane(.batchedIMU))
        var (device, before) = (TestDevice("d1", boot: "b1"), TestDevice("d1", boot: "b0", offset: 1_763_744_000 - 90_000))
        _ = safety.send(before.status(uptime: 90_010))
        let id = try #require(DeviceID("d1"))
        func follow(_ lane: inout PipelineHarness, _ frame: RecordedMessage) -> DeviceClock? {
            _ = lane.send(frame)
            let now = GatewayTime(unix: UnixTime(frame.at), monotonic: frame.at)
            _ = safety.pipeline.recordActivities(lane.pipeline.takeActivities(), at: now)
            return safety.pipeline.state(of: id)?.intake.clock
        }
        let clock = follow(&motion, device.stillHead(uptime: 20))
        #expect(clock != nil)
        #expect(follow(&bulk, before.accelerometer(start: 90_015)) == clock)
    }
}
