import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@testable import GatewayPipeline

@Suite("A device's clock that is set back begins a new run")
struct RunTests {
    private typealias Sample = RunScenario.Sample

    @Test(
        "By an hour at depth: unknown after five seconds, then the depths again, and one report",
        arguments: RunScenario.Writing.allCases)
    func atDepth(_ writing: RunScenario.Writing) throws {
        var harness = try RunScenario.harness()
        let before = harness.play(RunScenario.descent(0..<20), as: writing)
        #expect(before.runs == [1] && before.reports.isEmpty)
        let doubt = harness.play(RunScenario.descent(20..<25) { _ in -3_600 }, as: writing)
        #expect(
            doubt.depths.map { $0.text("state") } == ["unknown"], "not shallower, and unknown when no newer sample came for 5 s")
        #expect(doubt.depths.first?.text("cause") == "silence")
        let after = harness.play(RunScenario.descent(25..<60) { _ in -3_600 }, as: writing)
        #expect(after.reports == ["clockSetBack"])
        #expect(after.lastDepth == "submergedDeep" && after.depths.last?.number("depth") == 2 + 0.2 * 59)
        #expect(after.filter { $0.kind == "depth-state" }.runs == [2])
        // What waited is used: 35 seconds and the five before.
        #expect(Set(after.depths.compactMap { $0.number("depth") }).count >= 38)
        #expect(after.first { $0.kind == "connection/device" }?.text("cause") == "clockSetBack")
        #expect(!after.contains { $0.kind == "gap" })
        #expect(harness.pipeline.counters.late == 0 && harness.pipeline.counters.repeated == 0)
        #expect(Set((before + doubt + after).ids).count == Set((before + doubt + after).map(\.lasting)).count - 1)
        #expect(harness.pipeline.counters.outcomes == harness.pipeline.counters.received)
    }

    @Test("At the surface nothing is withdrawn", arguments: RunScenario.Writing.allCases)
    func atSurface(_ writing: RunScenario.Writing) throws {
        var harness = try RunScenario.harness()
        let samples = (0..<60).map { Sample(at: Double($0), clock: Double($0) - ($0 < 20 ? 0 : 90), 0, seq: $0) }
        let messages = harness.play(samples, as: writing)
        #expect(messages.reports == ["clockSetBack"])
        #expect(messages.depths.allSatisfy { $0.text("state") == "notSubmerged" })
        #expect(messages.runs == [1, 2])
    }

    @Test(
        "By less than clockStepSeconds it is none: what is not newer is counted, and no timer starts again",
        arguments: RunScenario.Writing.allCases)
    func smallStep(_ writing: RunScenario.Writing) throws {
        var harness = try RunScenario.harness()
        let messages = harness.play(RunScenario.descent(0..<40) { $0 < 20 ? 0 : -3 }, as: writing)
        #expect(messages.reports.isEmpty && messages.runs == [1])
        #expect(!messages.depths.contains { $0.text("state") == "unknown" }, "3 s are less than staleSeconds")
        #expect(messages.depths.last?.number("depth") == 2 + 0.2 * 39)
        #expect(harness.pipeline.counters.repeatedReadings >= 2)
        #expect(harness.pipeline.counters.late == 0)
    }

    @Test(
        "For three seconds and then forward again it is none: those frames are late, reported once, and no gap",
        arguments: RunScenario.Writing.allCases)
    func forthAndBack(_ writing: RunScenario.Writing) throws {
        var harness = try RunScenario.harness()
        let samples = RunScenario.descent(0..<60) { (20..<23).contains($0) || (30..<33).contains($0) ? -3_600 : 0 }
        let messages = harness.play(samples, as: writing)
        #expect(messages.reports == ["timestampOrder"], "at most once a minute")
        #expect(messages.runs == [1])
        #expect(harness.pipeline.counters.late == 6)
        #expect(!messages.contains { $0.kind == "gap" })
        #expect(!messages.depths.contains { $0.text("state") == "unknown" || $0.text("state") == "submergedShallow" })
        #expect(messages.depths.last?.number("depth") == 2 + 0.2 * 59)
        #expect(harness.pipeline.counters.outcomes == harness.pipeline.counters.received)
    }

    @Test("Set back and, after a while, forward again: one new run, which goes on", arguments: RunScenario.Writing.allCases)
    func forwardLater(_ writing: RunScenario.Writing) throws {
        var harness = try RunScenario.harness()
        let messages = harness.play(RunScenario.descent(0..<80) { (20..<45).contains($0) ? -3_600 : 0 }, as: writing)
        // An hour in a second is fast for a budget.
        #expect(messages.reports.filter { $0 != "clockTooFast" } == ["clockSetBack"])
        #expect(messages.runs == [1, 2])
        #expect(messages.depths.last?.number("depth") == 2 + 0.2 * 79)
    }

    @Test("Set back twice: three runs, whose ids all differ", arguments: RunScenario.Writing.allCases)
    func twice(_ writing: RunScenario.Writing) throws {
        var harness = try RunScenario.harness()
        // The third run has the clock of the first.
        let samples = RunScenario.descent(0..<90) { $0 < 30 ? 0 : $0 < 60 ? -30 : -60 }
        let messages = harness.play(samples, as: writing)
        #expect(messages.reports == ["clockSetBack", "clockSetBack"])
        #expect(messages.runs == [1, 2, 3])
        #expect(Set(messages.ids).count == messages.ids.count)
    }

    @Test("Without seq, a clock that enters the range of an ended run is in doubt too, and no depth stays valid", .slow)
    func intoEndedRange() throws {
        var harness = try RunScenario.harness()
        // The first run covers 0 to 600 s; the second begins at 100 s, and jumps to 400 s.
        var samples = (0..<600).map { Sample(at: Double($0), 0.5, seq: $0) }
        samples += (600..<640).map { Sample(at: Double($0), clock: Double($0) - 500, 4, seq: $0) }
        samples += (640..<700).map { Sample(at: Double($0), clock: Double($0) - 240, 5, seq: $0) }
        let messages = harness.play(samples, as: .flat)
        #expect(messages.reports == ["clockSetBack", "clockSetBack"])
        #expect(messages.runs == [1, 2], "its time did not fall at the second")
        #expect(messages.depths.last?.number("depth") == 5)
    }

    @Test("A wrong time far ahead is forgotten once the clock is right again")
    func wrongTimeAhead() throws {
        var harness = try RunScenario.harness()
        let messages = harness.play(RunScenario.descent(0..<60) { $0 == 20 ? 86_400 : 0 }, as: .flat)
        #expect(messages.reports.filter { $0 != "clockTooFast" } == ["clockSetBack"])
        #expect(messages.depths.last?.number("depth") == 2 + 0.2 * 59)
    }

    @Test("A dive goes on or ends as at a reboot: the new run has one of its own")
    func dive() throws {
        var harness = try RunScenario.harness()
        var samples = RunScenario.descent(0..<30)
        samples += RunScenario.descent(30..<60) { _ in -600 }
        samples += (60..<80).map { Sample(at: Double($0), clock: Double($0) - 600, max(0, 14 - Double($0 - 60)), seq: $0) }
        samples += (80..<120).map { Sample(at: Double($0), clock: Double($0) - 600, 0, seq: $0) }
        let messages = harness.play(samples, as: .native)
        let dives = messages.filter { $0.kind == "dive" }
        #expect(dives.count == 1 && dives.runs == [2])
    }

    @Test(
        "The state is the same after a restart between any two messages, and so is what is published", .slow,
        arguments: RunScenario.Writing.allCases)
    func restarts(_ writing: RunScenario.Writing) throws {
        let samples = RunScenario.descent(0..<50) { $0 < 12 ? 0 : -3_600 }
        var whole = try RunScenario.harness()
        let expected = whole.play(samples, as: writing)
        var harness = try RunScenario.harness()
        var messages: [DerivedJSON] = []
        for sample in samples {
            messages += harness.play([sample], as: writing)
            harness = try RunScenario.restarted(harness, at: sample.at + 0.25)
        }
        #expect(messages.map(\.lasting) == expected.map(\.lasting))
    }

    @Test(
        "A replay, which has no timers between its lines, gives the same ids as the live gateway", .slow,
        arguments: RunScenario.Writing.allCases)
    func replay(_ writing: RunScenario.Writing) throws {
        let samples = RunScenario.descent(0..<50) { $0 < 12 ? 0 : -3_600 }
        var (live, replay) = (try RunScenario.harness(), try RunScenario.harness())
        let expected = live.play(samples, as: writing)
        let messages = replay.send(samples.map { RunScenario.message($0, as: writing) })
        #expect(Set(messages.ids) == Set(expected.ids))
    }

    @Test("Ids do not depend on which streams a lane has")
    func lanes() throws {
        var device = TestDevice(offset: RunScenario.start)
        var messages: [RecordedMessage] = []
        for second in 0..<60 {
            if second == 20 { device.offset += 500 }
            let uptime = 1_000 + Double(second) - (second < 20 ? 0 : 500)
            messages.append(device.depth(3, uptime: uptime))
            messages.append(device.stillHead(uptime: uptime + 0.5))
        }
        func published(_ lanes: [Set<StreamName>]) throws -> [DerivedJSON] {
            try lanes.flatMap { streams in
                var lane = TestLane(streams, settings: try RunScenario.settings())
                return lane.take(messages) + lane.tick(at: messages[119].at + 3)
            }
        }
        let homes: [Set<StreamName>] = [[.submersion], [.headphoneMotion, .headphoneConnection]]
        let rest = Set(StreamName.allCases).subtracting(homes[0]).subtracting(homes[1])
        // Connections are those of all lanes together, and a budget is that of a lane.
        func events(_ messages: [DerivedJSON]) -> [DerivedJSON] {
            messages.filter { $0.kind != "connection/device" && !$0.kind.hasPrefix("usage/") }
        }
        let together = events(try published([Set(StreamName.allCases)]))
        let apart = events(try published(homes + [rest]))
        #expect(together.runs == [1, 2])
        let different = Set(together.ids).symmetricDifference(apart.ids)
        #expect(different.isEmpty, "\((together + apart).filter { different.contains($0.text("id") ?? "") })")
    }

    @Test("Workouts go on: motion of a session is used in the new run")
    func workout() throws {
        let policy = DevicePolicy.with { $0.needsSession = true }
        var harness = PipelineHarness(policy: PipelineHarness.policy("d1", policy))
        var device = TestDevice(offset: RunScenario.start)
        _ = harness.send(device.workout("running", uptime: 1_000))
        for second in 0..<40 {
            if second == 10 { device.offset += 900 }
            _ = harness.send(device.accelerometer(start: 1_000 + Double(second) - (second < 10 ? 0 : 900), count: 800))
        }
        #expect(harness.pipeline.counters.refused.isEmpty)
        #expect(harness.pipeline.counters[.batchedIMU].samples == 40 * 800)
    }
}
