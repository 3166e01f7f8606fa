import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@testable import GatewayPipeline

@Suite("Devices over their budget")
struct BudgetPipelineTests {
    /// Ten units a second: a frame of `accelerometer` has about two.
    static let settings = PipelineSettings.with { $0.budget.unitsPerSecond = 10 }

    private static let streams: [Set<StreamName>] = [
        [.submersion, .status, .workout],
        [.headphoneMotion, .headphoneConnection, .deviceMotion, .pedometer, .altimeter, .command],
        [.batchedIMU, .recordedAccelerometer, .movementDisorder],
    ]

    private let device = DeviceID("d1") ?? { preconditionFailure("an identifier") }()

    /// Batches of a tenth of a second from `start` on, so many a second, and a depth each second.
    private func flood(_ sender: inout TestDevice, from start: Double, seconds: Int, perSecond: Int = 100) -> [RecordedMessage] {
        (0..<seconds).flatMap { second in
            let begin = start + Double(second)
            let batches = (0..<perSecond).map { sender.accelerometer(start: begin + Double($0) / Double(perSecond) - 0.1) }
            return batches + [sender.depth(second % 2 == 0 ? 3 : 0.2, uptime: begin + 0.995)]
        }
    }

    private func access(_ messages: [DerivedJSON], _ stream: String = "batched-imu") -> [DerivedJSON] {
        messages.filter { $0.kind == "access/\(stream)" }
    }

    private func lasting(_ messages: [DerivedJSON], of kinds: [String]) -> [String] {
        messages.filter { message in kinds.contains { message.kind.hasPrefix($0) } }.map(\.lasting)
    }

    @Test("a flood is refused and told, its depth is not, and what was refused is told as a gap once it is used again")
    func flood() throws {
        var sender = TestDevice()
        var harness = PipelineHarness(settings: Self.settings)
        var messages = harness.send(flood(&sender, from: 100, seconds: 8))
        let refused = try #require(access(messages).last)
        #expect(access(messages).map { $0.flag("allowed") } == [true, false])
        #expect(refused.text("reason") == "overBudget")
        #expect(refused.isNull("code") && refused.retain)
        let since = try #require(refused.number("since"))
        let resumes = try #require(refused.number("resumesAt"))
        #expect((100...101).contains(since - sender.offset) && resumes > since)
        // The flood went on to 108: six seconds after its last one the stream may be used.
        let calm = 1_763_744_000.0 + 114
        #expect(messages.count { $0.kind == "depth-state" } == 8)
        let counters = harness.pipeline.counters
        #expect(counters.refused[.overBudget].map { $0 > 600 } == true)
        #expect(counters.outcomes == counters.received)
        #expect(!messages.contains { $0.kind == "gap" })

        messages = harness.send(sender.accelerometer(start: calm - sender.offset))
        #expect(access(messages).map { $0.flag("allowed") } == [true])
        #expect(access(messages).first?.fields["resumesAt"] == nil)
        let gap = try #require(messages.first { $0.kind == "gap" })
        #expect(gap.text("stream") == "batched-imu" && gap.text("unit") == "frames")
        #expect(gap.number("expected") == counters.refused[.overBudget].map(Double.init))
        #expect(gap.number("receivedCount") == 0)
        #expect(gap.number("from").map { abs($0 - since) < 0.2 } == true)
        #expect(gap.number("to").map { abs($0 - calm) < 0.01 } == true)
        #expect(harness.pipeline.counters.missingFrames == 0)
        let next = harness.send(sender.accelerometer(start: calm - sender.offset + 1))
        #expect(!next.contains { $0.text("unit") == "frames" })
    }

    @Test("each minute of each budget is told")
    func usage() throws {
        var sender = TestDevice()
        var harness = PipelineHarness(settings: Self.settings)
        let messages = harness.send(flood(&sender, from: 100, seconds: 125, perSecond: 10))
        let bulk = messages.filter { $0.kind == "usage/bulk" }
        #expect(bulk.count == 2 && bulk.allSatisfy(\.retain))
        let usage = try #require(bulk.first)
        #expect(usage.number("limit") == 10)
        #expect(usage.number("units").map { (7...11).contains($0) } == true)
        #expect(usage.text("busiest") == "batched-imu")
        let (frames, refused) = (usage.number("frames") ?? 0, usage.number("refused") ?? 0)
        #expect(frames + refused == 600 && refused > 200)
        #expect(usage.number("samples") == frames * 80)
        #expect(usage.flag("clockTooFast") == false)
        let safety = messages.filter { $0.kind == "usage/safety" }
        #expect(safety.count == 2)
        #expect(safety.first?.number("frames") == 60 && safety.first?.number("refused") == 0)
        #expect(messages.filter { $0.kind.hasPrefix("usage/") }.count == 4)
        #expect(Set(messages.filter { $0.kind.hasPrefix("usage/") }.compactMap { $0.text("id") }).count == 4)
        let costliest = harness.pipeline.costliest.first(5, at: sender.offset + 225)
        #expect(costliest.map(\.device) == [device])
        #expect(costliest.first.map { (7...12).contains($0.units) } == true)
    }

    @Test("three lanes and a replay of everything give the same", .slow)
    func lanes() {
        var sender = TestDevice()
        let frames = flood(&sender, from: 100, seconds: 90) + [sender.accelerometer(start: 400)]
        var whole = TestLane(Set(StreamName.allCases), settings: Self.settings)
        let expected = whole.take(frames)
        var found: [DerivedJSON] = []
        for streams in Self.streams {
            var lane = TestLane(streams, settings: Self.settings)
            found += lane.take(frames)
        }
        let kinds = ["access/", "usage/", "gap"]
        #expect(lasting(found, of: kinds).sorted() == lasting(expected, of: kinds).sorted())
        #expect(expected.contains { $0.text("reason") == "overBudget" })
    }

    @Test("doubled frames, and a gateway that starts again at any frame, give the same", .slow, arguments: [1, 7, 40, 350])
    func restarts(each: Int) throws {
        var sender = TestDevice()
        let frames = flood(&sender, from: 100, seconds: 70, perSecond: 20) + [sender.accelerometer(start: 400)]
        var whole = TestLane(Set(StreamName.allCases), settings: Self.settings)
        let expected = whole.take(frames).map(\.lasting)
        var lane = TestLane(Set(StreamName.allCases), settings: Self.settings)
        var found: [String] = []
        for (number, frame) in frames.enumerated() {
            found += lane.take([frame, frame]).map(\.lasting)
            guard number % each == 0 else { continue }
            let stored = try lane.state(of: "d1").readBack(of: device)
            lane = lane.started(with: Set(StreamName.allCases), stored, of: device, at: frame.at)
        }
        #expect(found == expected)
        #expect(lane.state(of: "d1").budgets == whole.state(of: "d1").budgets)
    }

    @Test("frames that overtake each other within the lane's order count alike", .slow)
    func shuffled() {
        var sender = TestDevice()
        var frames = flood(&sender, from: 100, seconds: 130, perSecond: 4)
        var harness = PipelineHarness(settings: Self.settings)
        let expected = lasting(harness.send(frames), of: ["access/", "usage/"])
        for index in stride(from: 0, to: frames.count - 2, by: 3) {
            let (first, second) = (frames[index], frames[index + 1])
            (frames[index].message, frames[index + 1].message) = (second.message, first.message)
        }
        var other = PipelineHarness(settings: Self.settings)
        #expect(lasting(other.send(frames), of: ["access/", "usage/"]).sorted() == expected.sorted())
    }

    @Test("while a stream is refused its frames are not read, and need not be in order")
    func unread() throws {
        var sender = TestDevice()
        var harness = PipelineHarness(settings: Self.settings)
        _ = harness.send(flood(&sender, from: 100, seconds: 4))
        let before = harness.pipeline.counters.refused[.overBudget] ?? 0
        let body = #""accelerometer":"nothing that is ever accepted""#
        let late = sender.frame("batched-imu", uptime: 104.2, body)
        let ahead = sender.frame("batched-imu", uptime: 104.3, body)
        #expect(harness.send([ahead, late, ahead]).isEmpty)
        #expect(harness.pipeline.counters.refused[.overBudget] == before + 1)
        #expect(harness.pipeline.counters.repeated == 2)
        #expect(harness.pipeline.waitingCount == 0)
        // Without a header it has to be read to say what is wrong with it.
        let rejected = harness.send(sender.raw("batched-imu", at: sender.offset + 104.4, "{"))
        #expect(rejected.map(\.kind) == ["rejected"])
        #expect(harness.pipeline.counters.outcomes == harness.pipeline.counters.received)
    }

    @Test("what waits for an earlier frame is refused with what overtakes it")
    func overtaken() {
        var sender = TestDevice()
        var harness = PipelineHarness(settings: Self.settings)
        _ = harness.send(flood(&sender, from: 100, seconds: 1, perSecond: 10))
        let missing = sender.accelerometer(start: 101)
        let waiting = (0..<5).map { sender.accelerometer(start: 101.1 + Double($0) / 10) }
        _ = harness.send(waiting)
        #expect(harness.pipeline.waitingCount == 5)
        _ = harness.send([missing] + flood(&sender, from: 102, seconds: 4))
        #expect(harness.pipeline.waitingCount == 0)
        let next = sender.accelerometer(start: 106, seq: 1_000)
        _ = harness.send(next)
        #expect(harness.pipeline.waitingCount == 0)
        #expect(harness.pipeline.counters.outcomes == harness.pipeline.counters.received)
    }

    @Test("new boots do not escape, enter nothing while refused, and are told when one is used")
    func boots() throws {
        var sender = TestDevice()
        var harness = PipelineHarness(settings: Self.settings)
        var messages = harness.send(flood(&sender, from: 100, seconds: 4))
        for number in 0..<500 {
            sender = TestDevice(boot: "n\(number)", offset: 1_763_744_104 + Double(number) / 100 - 5)
            messages += harness.send(sender.accelerometer(start: 5))
        }
        #expect(harness.pipeline.state(of: device)?.boot.id?.rawValue == "b1")
        #expect(harness.pipeline.counters.identityConflicts == 0)
        let refused = harness.pipeline.counters.refused[.overBudget] ?? 0
        #expect(refused > 700)
        #expect(harness.pipeline.counters.outcomes == harness.pipeline.counters.received)
        messages = harness.send(sender.accelerometer(start: 100))
        #expect(harness.pipeline.state(of: device)?.boot.id?.rawValue == "n499")
        let gaps = messages.filter { $0.kind == "gap" }
        #expect(gaps.compactMap { $0.number("expected") }.reduce(0, +) == Double(refused))
    }

    @Test("a boot that ends while a stream is refused tells what was refused in it")
    func bootEnds() throws {
        var sender = TestDevice()
        var harness = PipelineHarness(settings: Self.settings)
        _ = harness.send(flood(&sender, from: 100, seconds: 4))
        let refused = harness.pipeline.counters.refused[.overBudget] ?? 0
        var rebooted = TestDevice(boot: "b2", offset: sender.offset + 100)
        let messages = harness.send(rebooted.depth(3, uptime: 5))
        let gap = try #require(messages.first { $0.kind == "gap" })
        #expect(gap.number("expected") == Double(refused))
        #expect((gap.fields["source"] as? [String: Any])?["boot"] as? String == "b1")
        #expect(access(harness.send(rebooted.accelerometer(start: 6))).isEmpty, "it is still refused")
        let later = harness.send(rebooted.accelerometer(start: 100))
        #expect(later.first { $0.kind == "gap" }?.number("expected") == 1)
    }

    @Test("streams that need no other check are refused too, and allowed again")
    func unchecked() {
        var sender = TestDevice()
        var harness = PipelineHarness(settings: Self.settings)
        let event = #""event":"didConnect","padding":""# + String(repeating: "x", count: 2_000) + #"","timestamp":"#
        var messages: [DerivedJSON] = []
        for number in 0..<400 {
            let uptime = 100 + Double(number) / 100
            messages += harness.send(sender.frame("headphone-connection", uptime: uptime, event + "\(uptime)"))
        }
        #expect(access(messages, "headphone-connection").map { $0.text("reason") } == ["overBudget"])
        let later = harness.send(sender.frame("headphone-connection", uptime: 200, event + "200"))
        #expect(access(later, "headphone-connection").map { $0.flag("allowed") } == [true])
        #expect(later.contains { $0.kind == "gap" })
        #expect(
            access(harness.send(sender.frame("headphone-connection", uptime: 201, event + "201")), "headphone-connection").isEmpty
        )
    }

    @Test("a stream that another check refuses keeps that reason, and costs as much")
    func otherReason() {
        var sender = TestDevice()
        var denied = DevicePolicy.everything
        denied.available[.accelerometerBatch] = false
        denied.available[.deviceMotionBatch] = false
        var harness = PipelineHarness(settings: Self.settings, policy: PipelineHarness.policy("d1", denied))
        let messages = harness.send(flood(&sender, from: 100, seconds: 5))
        #expect(access(messages).map { $0.text("reason") } == ["notAvailable"])
        #expect(harness.pipeline.counters.refused == [.notAvailable: 500])
        // Permitted, it is over its budget.
        let allowed = harness.replace(policy: PipelineHarness.policy("d1", .everything))
        #expect(access(allowed).map { $0.flag("allowed") } == [true])
        #expect(access(harness.send(sender.accelerometer(start: 105.1))).map { $0.text("reason") } == ["overBudget"])
    }

    @Test("neither an empty status nor a policy that denies for a moment makes a device begin anew")
    func reset() {
        var sender = TestDevice()
        var harness = PipelineHarness(settings: Self.settings, policy: PipelineHarness.policy("d1", .everything))
        _ = harness.send(flood(&sender, from: 100, seconds: 4))
        _ = harness.send(sender.raw("status", at: sender.offset + 104.1, retain: true, ""))
        #expect(access(harness.send(sender.accelerometer(start: 104.2))).map { $0.text("reason") } == ["overBudget"])
        let denied = DevicePolicy.with { $0.authorization = .denied }
        _ = harness.replace(policy: PipelineHarness.policy("d1", denied))
        _ = harness.replace(policy: PipelineHarness.policy("d1", .everything))
        #expect(access(harness.send(sender.accelerometer(start: 104.3))).map { $0.text("reason") } == ["overBudget"])
    }

    @Test("at 0 there is no limit", .slow)
    func noLimit() {
        var sender = TestDevice()
        var settings = Self.settings
        settings.budget.unitsPerSecond = 0
        var harness = PipelineHarness(settings: settings)
        let messages = harness.send(flood(&sender, from: 100, seconds: 70))
        #expect(harness.pipeline.counters.refused.isEmpty)
        #expect(messages.first { $0.kind == "usage/bulk" }?.isNull("limit") == true)
    }

    @Test("a clock that is too fast is reported, and its cost counts by arrival", .slow)
    func clock() throws {
        var sender = TestDevice(offset: 1_763_744_000)
        var harness = PipelineHarness(settings: Self.settings)
        var messages: [DerivedJSON] = []
        for number in 0..<7_000 {
            var frame = sender.accelerometer(start: 100 + Double(number))
            frame.at = 1_763_744_100 + Double(number) / 100
            messages += harness.send(frame)
        }
        #expect(messages.filter { $0.kind == "rejected" }.map { $0.text("reason") } == ["clockTooFast"])
        #expect(harness.pipeline.counters.clocksTooFast == 1)
        #expect(access(messages).map { $0.text("reason") } == ["allowed", "overBudget"])
        #expect(messages.contains { $0.kind == "usage/bulk" && $0.flag("clockTooFast") == false })
    }

    @Test("hours of recorded acceleration come at once; what is over its budget may be sent again", .slow)
    func history() throws {
        var settings = PipelineHarness.settings
        let evening = 1_763_755_200.0
        let samples = SimulatedNight(from: evening, hours: 1, hertz: 10).samples
        var device = HistoryDevice("d1", start: evening - 1_000)
        let frames = device.frames(samples, sent: evening + 4_000)
        var harness = PipelineHarness(settings: settings)
        _ = harness.send(frames)
        #expect(harness.pipeline.counters.refused.isEmpty)

        settings.budget.historyUnitsPerSecond = 1
        var strict = PipelineHarness(settings: settings)
        var messages = strict.send(frames)
        let refused = access(messages, "recorded-accelerometer").last
        #expect(refused?.text("reason") == "overBudget")
        let resumes = try #require(refused?.number("resumesAt"))
        let count = strict.pipeline.counters.refused[.overBudget] ?? 0
        #expect(count > 0 && count < frames.count)
        // The device sends again what is not committed, later.
        var sent = 0
        var at = resumes
        while sent < 40, strict.pipeline.counters[.recordedAccelerometer].processed < frames.count {
            at += 400
            messages = strict.send(
                frames.enumerated().map { index, frame in
                    var again = frame
                    again.at = at + Double(index) / 100
                    return again
                })
            sent += 1
        }
        #expect(!messages.contains { $0.kind == "gap" })
        #expect(strict.pipeline.counters.outcomes == strict.pipeline.counters.received)
    }
}
