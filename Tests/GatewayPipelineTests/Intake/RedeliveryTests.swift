import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@testable import GatewayPipeline

@Suite("Frames that a broker delivers again behind newer ones")
struct RedeliveryTests {
    private static let offset = 1_763_744_000.0

    /// A pipeline of a session that is resumed at uptime 101, on a broker that delivers again within so many seconds, and a diver of whom
    /// frame 0 has been processed.
    private func resumed(_ seconds: Double = 60) -> (PipelineHarness, TestDevice) {
        var harness = PipelineHarness(settings: .with { $0.intake.redeliverySeconds = seconds })
        var diver = TestDevice(offset: Self.offset)
        _ = harness.send(diver.depth(0.5, uptime: 100, seq: 0))
        harness.awaitRedelivery(at: Self.offset + 101)
        return (harness, diver)
    }

    private func depths(_ messages: [DerivedJSON]) -> [DerivedJSON] { messages.filter { $0.kind == "depth-state" } }

    /// A frame of depth that arrives when its successors have been sent.
    private func late(_ frame: RecordedMessage, at uptime: Double) -> RecordedMessage {
        var frame = frame
        frame.at = Self.offset + uptime
        return frame
    }

    @Test("what is missing is waited for until then, however many frames come meanwhile, and leaves no gap")
    func horizon() {
        var (harness, diver) = resumed()
        let missing = diver.depth(0.5, uptime: 101.2, seq: 1)
        var messages: [DerivedJSON] = []
        let frames = (2..<202).map { diver.depth(0.5, uptime: 101 + Double($0) / 5, seq: $0) }
        for frame in frames { messages += harness.send(frame) }
        #expect(harness.pipeline.waitingCount == 200)
        #expect(harness.pipeline.incompleteSince == frames[0].at)
        #expect(messages.isEmpty)
        let released = harness.send(late(missing, at: 141.4))
        #expect(!released.contains { $0.kind == "gap" })
        #expect(harness.pipeline.waitingCount == 0)
        #expect(harness.pipeline.incompleteSince == nil)
        #expect(harness.pipeline.counters.outcomes == harness.pipeline.counters.received)
    }

    @Test("what has not come by then is missing; later frames wait as long as on any broker")
    func over() {
        var (harness, diver) = resumed(30)
        _ = harness.send(diver.depth(0.5, uptime: 103, seq: 2))
        #expect(harness.tick(at: Self.offset + 130.9).isEmpty)
        let messages = harness.tick(at: Self.offset + 131.1)
        #expect(messages.filter { $0.kind == "gap" }.map { $0.number("expected") } == [1])
        _ = harness.send(diver.depth(0.5, uptime: 135, seq: 4))
        #expect(harness.tick(at: Self.offset + 136.1).contains { $0.kind == "gap" })
    }

    @Test("what waited before the session was resumed is waited for as well")
    func waitedBefore() {
        var (harness, diver) = resumed(10)
        _ = harness.tick(at: Self.offset + 120)
        _ = harness.send(diver.depth(0.5, uptime: 121, seq: 2))
        harness.awaitRedelivery(at: Self.offset + 121.5)
        #expect(!harness.tick(at: Self.offset + 125).contains { $0.kind == "gap" })
        #expect(!harness.send(late(diver.depth(0.5, uptime: 120.5, seq: 1), at: 126)).contains { $0.kind == "gap" })
    }

    @Test(
        "a deeper state is published at once, and the broker keeps none that is less deep until its frame is processed in order")
    func early() throws {
        var (harness, diver) = resumed()
        let first = diver.depth(0.6, uptime: 101, seq: 1)
        let second = diver.depth(1.5, uptime: 102, seq: 2)
        let early = depths(harness.send(diver.depth(8, uptime: 103, seq: 3)))
        #expect(early.map { $0.text("state") } == ["submergedDeep"])
        let message = try #require(early.first)
        #expect(message.flag("early") == true && message.isNull("previous") && message.retain)
        #expect(message.number("depth") == 8)
        // The same state once more is no news.
        #expect(depths(harness.send(diver.depth(8.5, uptime: 104, seq: 4))).isEmpty)
        #expect(depths(harness.send(diver.depth(2, uptime: 105, seq: 5))).isEmpty)

        let older = depths(harness.send(late(first, at: 131)))
        #expect(older.allSatisfy { !$0.retain && $0.fields["early"] == nil })
        let rest = depths(harness.send(late(second, at: 131.1)))
        #expect(rest.contains { $0.text("previous") == "submergedShallow" && !$0.retain }, "frame 2 changed the state first")
        let kept = try #require(rest.last { $0.retain })
        #expect(kept.fields["early"] == nil && kept.text("state") == "submergedDeep")
        #expect(
            Set((early + older + rest).compactMap { $0.text("id") }).count == Set((early + older + rest).map(\.lasting)).count)
        #expect(harness.pipeline.state(of: Self.device)?.latest[kind: "depth-state"] == nil)
    }

    @Test("frames of a depth that waited before the session was resumed are read for depth then")
    func earlyWaitedBefore() {
        var (harness, diver) = resumed(10)
        _ = harness.tick(at: Self.offset + 120)
        _ = harness.send(diver.depth(0.5, uptime: 120, seq: 1))
        #expect(depths(harness.send(diver.depth(30, uptime: 121, seq: 3))).isEmpty)
        let early = depths(harness.awaitRedelivery(at: Self.offset + 121.5))
        #expect(early.map { $0.text("state") } == ["submergedDeep"])
        #expect(early.allSatisfy { $0.retain && $0.flag("early") == true })
        #expect(depths(harness.awaitRedelivery(at: Self.offset + 121.6)).isEmpty)
    }

    @Test("of several frames that were read early the last has to be in order before the broker keeps a state that is less deep")
    func severalEarly() throws {
        var (harness, diver) = resumed()
        let between = [diver.depth(0.6, uptime: 101, seq: 1), diver.depth(0.7, uptime: 102, seq: 2)]
        let last = diver.depth(0.8, uptime: 104, seq: 4)
        _ = harness.send(diver.depth(8, uptime: 106, seq: 6))
        let deeper = depths(harness.send(late(diver.depth(39, uptime: 103, seq: 3), at: 107)))
        #expect(deeper.map { $0.text("state") } == ["approachingMaxDepth"])
        let inOrder = depths(between.flatMap { harness.send(late($0, at: 131)) } + harness.send(late(last, at: 132)))
        #expect(inOrder.filter(\.retain).isEmpty, "frame 5 is missing, and frame 6 waits")
        let rest = depths(harness.send(late(diver.depth(1.5, uptime: 105, seq: 5), at: 133)))
        #expect(try #require(rest.last { $0.retain }).fields["early"] == nil)
    }

    @Test("a state in order that is deeper than what was read early of a later frame is kept by the broker")
    func deeperInOrder() throws {
        var (harness, diver) = resumed()
        _ = harness.send(diver.depth(8, uptime: 130, seq: 5))
        let deeper = try #require(depths(harness.send(late(diver.depth(39, uptime: 129, seq: 1), at: 131))).last)
        #expect(deeper.text("state") == "approachingMaxDepth" && deeper.retain && deeper.fields["early"] == nil)
        let known = harness.pipeline.state(of: Self.device)?.retained[kind: "depth-state"]?.early
        #expect(known?.state == .approachingMaxDepth && known?.sequence == 5)
        let stored = try #require(harness.pipeline.state(of: Self.device)).messages.filter { $0.kind == "depth-state" }
        #expect(stored.count == 1)
    }

    @Test("of a state in order and one that was read early of a later frame, requests are answered with the latter")
    func latest() throws {
        var (harness, diver) = resumed()
        let early = try #require(depths(harness.send(diver.depth(8, uptime: 103, seq: 3))).last)
        _ = harness.send(late(diver.depth(0.6, uptime: 101, seq: 1), at: 131))
        let state = try #require(harness.pipeline.state(of: Self.device))
        let change = try state.change(of: Self.device)
        for stored in [state.messages, DeviceState.messages(in: change.parts).messages] {
            let depths = stored.filter { $0.kind == "depth-state" }
            #expect(depths.count == 1)
            #expect(depths.first.map { String(decoding: $0.payload, as: UTF8.self).contains(early.text("id") ?? "-") } == true)
        }
    }

    @Test("a device that reported that it may not measure depth, and measures again, is read early")
    func refusedBefore() {
        var (harness, diver) = resumed()
        _ = harness.send(diver.frame("submersion", uptime: 101.2, seq: 1, #""errors":[{"timestamp":101.2,"code":109}]"#))
        #expect(depths(harness.send(diver.depth(30, uptime: 104, seq: 3))).map { $0.text("state") } == ["submergedDeep"])
    }

    @Test("that a device is out of the water is never read early")
    func outOfWater() {
        var harness = PipelineHarness(settings: .with { $0.intake.redeliverySeconds = 60 })
        var diver = TestDevice(offset: Self.offset)
        harness.awaitRedelivery(at: Self.offset + 99)
        let messages = harness.send(
            diver.frame("submersion", uptime: 100, seq: 3, #""events":[{"timestamp":100,"state":"notSubmerged"}]"#))
        #expect(depths(messages).isEmpty)
    }

    @Test("however many frames wait, one that is rejected behind them is not waited for")
    func rejected() {
        var (harness, diver) = resumed()
        let missing = diver.depth(0.5, uptime: 101.1, seq: 1)
        for number in 2..<101 { _ = harness.send(diver.depth(0.5, uptime: 101 + Double(number) / 25, seq: number)) }
        let bad = diver.frame(
            "submersion", uptime: 105.04, seq: 101, #""measurements":[{"timestamp":105,"depth":{"value":1,"unit":"cm"}}]"#)
        #expect(harness.send(bad).map(\.kind) == ["rejected"])
        _ = harness.send(diver.depth(0.5, uptime: 105.1, seq: 102))
        _ = harness.send(late(missing, at: 106))
        #expect(harness.pipeline.waitingCount == 0)
    }

    @Test("a last will ends no wait for frames that the broker may deliver again, and acts at once")
    func lastWill() {
        var (harness, diver) = resumed()
        let frames = (1...3).map { diver.depth(0.5, uptime: 101 + Double($0), seq: $0) }
        _ = harness.send(frames[1])
        var messages = harness.send(
            diver.raw("status", at: Self.offset + 105, #"{"schema":"wearables/1","boot":"b1","state":"offline"}"#))
        #expect(messages.filter { $0.kind == "connection/device" }.map { $0.text("cause") } == ["lastWill"])
        messages += harness.send(late(frames[0], at: 131)) + harness.send(late(frames[2], at: 131.1))
        #expect(!messages.contains { $0.kind == "gap" })
        #expect(harness.pipeline.counters.outcomes == harness.pipeline.counters.received)
        #expect(messages.filter { $0.kind == "connection/device" }.map { $0.text("state") } == ["disconnected"])
    }

    @Test("what turns out to be otherwise in order is what the broker keeps in the end")
    func contradicted() throws {
        var (harness, diver) = resumed()
        let surfaced = diver.depth(0.4, uptime: 103.9, seq: 1)
        let early = depths(harness.send(diver.depth(8, uptime: 104, seq: 2)))
        #expect(early.map { $0.flag("early") } == [true])
        // From 0.4 m nobody gets to 8 m within a tenth of a second: a fault, and no deeper state.
        let inOrder = depths(harness.send(late(surfaced, at: 131)))
        let kept = try #require(inOrder.last { $0.retain })
        #expect(kept.fields["early"] == nil)
    }

    @Test("a fault that is less deep than what was published early does not take its place")
    func shallowerFault() {
        var (harness, diver) = resumed()
        let early = depths(harness.send(diver.depth(8, uptime: 103, seq: 3)))
        #expect(early.map { $0.flag("early") } == [true])
        // No depth at all: in order that leaves the state shallow, as a fault.
        #expect(depths(harness.send(diver.depth(-50, uptime: 104, seq: 4))).isEmpty)
        #expect(harness.pipeline.state(of: Self.device)?.retained[kind: "depth-state"]?.early?.state == .submergedDeep)
    }

    @Test("batches wait for as long as frames may be delivered again", arguments: [60.0, 10])
    func batches(seconds: Double) {
        var harness = PipelineHarness(settings: .with { $0.intake.redeliverySeconds = seconds })
        var watch = TestDevice(offset: Self.offset)
        func batch(_ seq: Int) -> RecordedMessage { watch.accelerometer(start: 100 + Double(seq), count: 800, seq: seq) }
        var messages = harness.send(batch(0))
        harness.awaitRedelivery(at: Self.offset + 101)
        let missing = batch(1)
        for seq in 2...31 { messages += harness.send(batch(seq)) }
        messages += harness.send(late(missing, at: 132))
        #expect(messages.contains { $0.kind == "gap" } == (seconds == 10))
    }

    @Test("a depth that is less deep, and a broker that delivers in order, lead to nothing early", arguments: [0.0, 60])
    func nothing(seconds: Double) {
        var (harness, diver) = resumed(seconds)
        _ = harness.send(diver.depth(20, uptime: 101, seq: 1))
        let messages = harness.send(diver.depth(seconds == 0 ? 30 : 5, uptime: 104, seq: 3))
        #expect(!messages.contains { $0.flag("early") == true })
    }

    @Test("stored between any two frames, it goes on as if it had not been")
    func restart() throws {
        let script: [(Double, Double, Int, Double)] = [
            (8, 104, 4, 104), (0.6, 101, 1, 131), (9, 112, 5, 131.1), (1.5, 102, 2, 131.2), (1.6, 103, 3, 131.3),
        ]
        var (whole, wholeDiver) = resumed()
        var (other, otherDiver) = resumed()
        for (depth, uptime, sequence, at) in script {
            let expected = whole.send(late(wholeDiver.depth(depth, uptime: uptime, seq: sequence), at: at))
            let found = other.send(late(otherDiver.depth(depth, uptime: uptime, seq: sequence), at: at))
            #expect(found.map(\.lasting) == expected.map(\.lasting))
            let state = try #require(other.pipeline.state(of: Self.device))
            #expect(try state.readBack(of: Self.device) == state)
        }
    }

    // MARK: Timers

    private static let strokes = PipelineSettings.with {
        $0.derive[StrokeDerivation.self].preset = .tableTennis
        $0.derive[StrokeDerivation.self].wrist = .right
        $0.derive[StrokeDerivation.self].always = true
        $0.intake.redeliverySeconds = 60
    }

    /// Two frames of device motion: one with a forehand of which more samples may come, and its still end.
    private func stroke(of watch: inout TestDevice, from start: Double) -> [RecordedMessage] {
        func frame(_ samples: Range<Int>, rate: (Int) -> Double) -> RecordedMessage {
            var motion = MotionSamples(sensorLocation: [])
            for sample in samples {
                motion.append(
                    start + Double(sample) / 50, attitude: SIMD4(0, 0, 0, 1), rate: SIMD3(0, 0, rate(sample)))
            }
            return watch.motion(motion)
        }
        return [frame(0..<70) { $0 >= 60 ? -15 : 0 }, frame(70..<200) { $0 < 75 ? -15 : 0 }]
    }

    @Test("what samples would still change is decided by the next ones in order, not by a timer before them")
    func undecided() throws {
        var (whole, harness) = (PipelineHarness(settings: Self.strokes), PipelineHarness(settings: Self.strokes))
        var watch = TestDevice(offset: Self.offset)
        let frames = stroke(of: &watch, from: 100)
        let expected = whole.send(frames).filter { $0.kind == "stroke" }
        #expect(expected.count == 1)

        var messages = harness.send(frames[0])
        harness.awaitRedelivery(at: Self.offset + 102)
        messages += harness.tick(at: Self.offset + 130)
        // A frame of another stream shows how late it is, but not that no motion is still to come.
        messages += harness.send(watch.depth(0, uptime: 131))
        #expect(!messages.contains { $0.kind == "stroke" })
        #expect(harness.send(late(frames[1], at: 140)).filter { $0.kind == "stroke" }.map(\.lasting) == expected.map(\.lasting))
    }

    @Test("what is still undecided then is decided when the broker delivers nothing again")
    func decidedAtTheEnd() throws {
        var harness = PipelineHarness(settings: Self.strokes)
        var watch = TestDevice(offset: Self.offset)
        _ = harness.send(stroke(of: &watch, from: 100)[0])
        harness.awaitRedelivery(at: Self.offset + 102)
        _ = harness.tick(at: Self.offset + 110)
        #expect(harness.pipeline.nextDeadline() == Self.offset + 162)
        #expect(!harness.tick(at: Self.offset + 161.9).contains { $0.kind == "stroke" })
        #expect(harness.tick(at: Self.offset + 162.1).filter { $0.kind == "stroke" }.count == 1)
    }

    @Test("a stream of which frames wait is not silent; once they are not waited for, the data say since when it was")
    func notSilent() throws {
        var (harness, phone) = resumed()
        _ = harness.send(phone.stillHead(uptime: 101.5))
        let missing = phone.stillHead(uptime: 102)
        var messages: [DerivedJSON] = []
        for step in 0..<20 { messages += harness.send(phone.stillHead(uptime: 102.5 + Double(step) / 2)) }
        messages += harness.tick(at: Self.offset + 130)
        #expect(!messages.contains { $0.kind == "connection/headphone" && $0.text("state") == "silent" })
        let released = harness.send(late(missing, at: 130.5)) + harness.tick(at: Self.offset + 143)
        let silences = released.filter { $0.kind == "connection/headphone" && $0.text("state") == "silent" }
        #expect(silences.compactMap { $0.number("deviceTime") } == [114])
    }

    @Test("frames of other streams do not show that a stream is silent of which frames wait", arguments: [0.0, 60])
    func notSilentByOthers(seconds: Double) {
        var (harness, phone) = resumed(seconds)
        _ = harness.send(phone.stillHead(uptime: 101.5))
        let missing = phone.stillHead(uptime: 101.9)
        var messages: [DerivedJSON] = []
        for step in 1...6 {
            messages += harness.send(phone.stillHead(uptime: 101.9 + Double(step) / 2))
            messages += harness.send(phone.frame("status", uptime: 101.9 + Double(step) / 2, #""state":"online""#))
            messages += harness.send(phone.turn(start: 98 + Double(step) / 2))
        }
        messages += harness.send(late(missing, at: 105.2))
        #expect(messages.filter { $0.kind == "connection/headphone" }.isEmpty)
    }

    @Test("nor that a diver is silent of whom frames wait")
    func depthNotUnknown() {
        var (harness, diver) = resumed()
        var messages: [DerivedJSON] = []
        for number in 2...9 { messages += harness.send(diver.depth(0.5, uptime: 100 + Double(number), seq: number)) }
        messages += harness.send(diver.frame("status", uptime: 110, #""state":"online""#))
        #expect(depths(messages).isEmpty, "\(depths(messages).map(\.fields))")
    }

    @Test("a device is not silent while its frames may be delivered again; then it is")
    func deviceNotSilent() throws {
        var (harness, phone) = resumed()
        _ = harness.send(phone.stillHead(uptime: 101.5))
        func silences(_ messages: [DerivedJSON]) -> Int {
            messages.filter { $0.kind == "connection/device" && $0.text("state") == "silent" }.count
        }
        #expect(silences(harness.tick(at: Self.offset + 160.9)) == 0)
        #expect(silences(harness.tick(at: Self.offset + 161.1)) == 1)
    }

    @Test("a diver who sends nothing is reported as unknown at once: nothing of that stream waits")
    func depthUnknown() throws {
        var (harness, diver) = resumed()
        _ = harness.send(diver.depth(8, uptime: 101.2, seq: 1))
        let states = depths(harness.tick(at: Self.offset + 130))
        #expect(states.last?.text("state") == "unknown")
    }

    private static let device = DeviceID("d1") ?? { preconditionFailure("an identifier") }()
}
