import FleetSimulator
import Foundation
import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Sessions")
struct SessionTests {
    private static let offset = TestDevice().offset

    /// A run of three stretches of 100 s at 3 m/s with pauses of 20 s, the second 20 m up.
    private static func rows(to end: Int = 340) -> [RecordedRun.Row] {
        var (distance, altitude) = (0.0, 50.0)
        return (0...end).map { second in
            let isMoving = second % 120 < 100
            defer {
                if isMoving {
                    distance += 3
                    if second / 120 == 1 { altitude += 0.2 }
                }
            }
            return .init(time: Double(second), distance: distance, cadence: isMoving ? 162 : 0, altitude: altitude)
        }
    }

    private static let marks =
        [(100.0, true), (120, false), (220, true), (240, false)].map { RecordedRun.Mark(time: $0.0, isPause: $0.1) }

    /// The frames of a workout around the run: a pause of the workout, strokes, a dive; the end after 345 s.
    private static func frames() -> [RecordedMessage] {
        var device = TestDevice("runner", boot: "run")
        var frames = RecordedRun("run", rows: rows(), marks: marks).frames()
        frames.append(device.status(uptime: 999, #","wristLocation":"left""#))
        frames.append(device.workout("running", uptime: 1_000, activity: "tennis"))
        frames += (0..<60).map { device.depth((10..<40).contains($0) ? 3 : 0, uptime: 1_120 + Double($0)) }
        frames += [device.turn(start: 1_230), device.turn(start: 1_250, rate: -15), device.turn(start: 1_270)]
        frames += ["paused", "running"].enumerated().map { index, state in
            device.workout(state, uptime: 1_290 + 10 * Double(index), activity: "tennis")
        }
        frames.append(device.workout("ended", uptime: 1_345, activity: "tennis"))
        return frames.sorted { $0.at < $1.at }
    }

    private func run(_ frames: [RecordedMessage]) -> [DerivedJSON] {
        var harness = PipelineHarness()
        return harness.send(frames) + harness.tick(at: Self.offset + 6_000)
    }

    /// The last message of a part that says that the session has ended.
    private func ended(_ part: String, in messages: [DerivedJSON]) throws -> DerivedJSON {
        try #require(messages.last { $0.kind == "session/\(part)" && $0.text("state") == "ended" })
    }

    /// The messages of a kind between start and end of a session.
    private func events(_ kind: String, of session: DerivedJSON, in messages: [DerivedJSON]) throws -> [DerivedJSON] {
        let (start, end) = (try #require(session.number("start")), try #require(session.number("end")))
        return messages.filter { message in
            message.kind == kind && message.number("at").map { start <= $0 && $0 <= end } ?? false
        }
    }

    private func sum(_ messages: [DerivedJSON], _ field: String) -> Double {
        messages.compactMap { $0.number(field) }.reduce(0, +)
    }

    private func near(_ left: Double?, _ right: Double) -> Bool { left.map { abs($0 - right) < 1e-5 } ?? false }

    @Test("The parts are the sums of what was published between start and end")
    func sums() throws {
        let messages = run(Self.frames())
        let distance = try ended("distance", in: messages)
        let segments = try events("segment", of: distance, in: messages)
        #expect(segments.count >= 3)
        #expect(distance.number("segments") == Double(segments.count))
        for (field, summed) in [
            ("distance", "distance"), ("steps", "steps"), ("movingTime", "duration"), ("ascent", "ascent"),
            ("descent", "descent"), ("energy", "energy"),
        ] { #expect(near(distance.number(field), sum(segments, summed)), "\(field)") }
        #expect(near(distance.number("movingPace"), sum(segments, "duration") / sum(segments, "distance")))
        #expect(distance.number("hills") == Double(try events("hill", of: distance, in: messages).count))
        let pauses = try events("pace", of: distance, in: messages).filter {
            $0.text("state") == "paused" && $0.text("previous") != "paused" && $0.text("cause") != "workout"
        }
        #expect(distance.number("pauses") == Double(pauses.count))

        let water = try ended("water", in: messages)
        let dives = try events("dive", of: water, in: messages)
        #expect(dives.count == 1)
        #expect(water.number("dives") == 1)
        #expect(near(water.number("timeUnderWater"), sum(dives, "duration")))
        #expect(water.number("deepest") == 3)
        #expect(water.text("deepestState") == "submergedDeep")

        let motion = try ended("motion", in: messages)
        let strokes = try events("stroke", of: motion, in: messages)
        #expect(strokes.count == 3)
        for name in ["forehand", "backhand"] {
            #expect(motion.number("\(name)s") == Double(strokes.count { $0.text("stroke") == name }))
        }
        #expect(!messages.contains { $0.kind == "session/swing" })
        for part in [distance, water, motion] {
            #expect(part.number("elapsedTime") == 345)
            #expect(part.number("activeTime") == 335)
            #expect(part.text("endedBy") == "workout")
            #expect(part.text("activity") == "tennis")
            #expect(part.number("coverage") == 1 && part.number("gaps") == 0 && part.number("revision") == 0)
            #expect(!part.retain)
        }
    }

    @Test("Sets, punches and poses of simulated devices are summed", .slow, arguments: [DeviceKind.lifter, .boxer, .yogi])
    func motion(kind: DeviceKind) throws {
        let device = kind.device(DeviceOrigin(device: "gym", unix: 1_763_749_000, uptime: 5_321.25, seed: 2, duration: 85))
        var settings = PipelineHarness.settings
        settings.derive.setEnabled(RepetitionDerivation.self, kind == .lifter)
        settings.derive.setEnabled(PunchDerivation.self, true)
        settings.derive.setEnabled(PoseDerivation.self, true)
        let messages = PipelineHarness.run(device, settings: settings, waiting: 60)
        let session = try ended("motion", in: messages)
        let sets = try events("set", of: session, in: messages)
        #expect(session.number("sets") == Double(sets.count))
        #expect(session.number("repetitions") == sum(sets, "repetitions"))
        let punches = try events("punch", of: session, in: messages)
        #expect(session.number("punches") == Double(punches.count))
        #expect(session.number("peakPunch") == punches.compactMap { $0.number("peakAcceleration") }.max())
        let holds = try events("pose-hold", of: session, in: messages)
        #expect(session.number("poses") == Double(holds.count))
        #expect(session.number("longestHold") == holds.compactMap { $0.number("duration") }.max())
        let count = kind == .lifter ? sets.count : kind == .boxer ? punches.count : holds.count
        #expect(count >= 2)
        #expect(!session.retain)
    }

    @Test("While it goes on it is retained, at most every 10 s, and the end clears the retained topic")
    func retained() throws {
        let messages = run(Self.frames()).filter { $0.kind == "session/distance" }
        let (clearing, contents) = (messages.filter(\.isClearing), messages.filter { !$0.isClearing })
        #expect(clearing.count == 1)
        #expect(messages.last?.isClearing == true)
        let running = contents.dropLast()
        #expect(running.count > 20)
        #expect(running.allSatisfy { $0.retain && $0.isNull("end") && $0.isNull("endedBy") })
        let times = running.compactMap { $0.number("at") }
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= 10 - 1e-6 })
        #expect(zip(running, running.dropFirst()).allSatisfy { ($0.number("distance") ?? 0) <= ($1.number("distance") ?? 0) })
        #expect(Set(running.compactMap { $0.text("state") }) == ["running", "paused"])
        // The segment that has not ended counts.
        #expect((running.first { ($0.number("elapsedTime") ?? 0) >= 60 }?.number("distance") ?? 0) > 150)
        #expect(Set(messages.compactMap { $0.text("id") }).count == contents.count)
    }

    @Test(
        "Frames that are shuffled within 3 s, and frames that come twice, change nothing", .slow,
        arguments: 0..<6 as Range<UInt64>)
    func shuffled(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let frames = Self.frames()
        // Submersion is processed as it comes: a frame that is late is reported as missing first.
        let isPunctual = { (frame: RecordedMessage) in frame.message.topic.hasSuffix("/submersion") }
        var mixed = frames.filter(isPunctual) + frames.filter { !isPunctual($0) }.late(by: 3, using: &random)
        mixed += mixed.filter { _ in Int.random(in: 0..<5, using: &random) == 0 }.late(by: 3, using: &random)
        let (expected, found) = (run(frames), run(mixed.sorted { $0.at < $1.at }))
        for part in ["distance", "water", "motion"] {
            let (left, right) = (try ended(part, in: found).lasting, try ended(part, in: expected).lasting)
            #expect(left == right)
        }
        for kind in ["segment", "hill", "dive", "stroke"] {
            // Which frame was the first is not the same when a change of the workout is late.
            let lasting = { (messages: [DerivedJSON]) in
                Set(
                    messages.filter { $0.kind == kind }.map { message in
                        var message = message
                        message.fields["source"] = nil
                        return message.lasting
                    })
            }
            #expect(lasting(found) == lasting(expected), "\(kind)")
        }
    }

    @Test("A gateway that is killed between any two frames publishes the same", .slow)
    func killed() throws {
        let device = try #require(Identifier("runner"))
        let streams = Set(StreamName.allCases)
        let frames = Self.frames()
        var undisturbed = TestLane(streams)
        var killed = TestLane(streams)
        var (expected, found): ([DerivedJSON], [DerivedJSON]) = ([], [])
        for (index, frame) in frames.enumerated() {
            expected += undisturbed.tick(at: frame.at) + undisturbed.take([frame])
            if index % 7 == 3 { killed = killed.started(with: streams, killed.state(of: "runner"), of: device, at: frame.at) }
            found += killed.tick(at: frame.at) + killed.take([frame])
        }
        expected += undisturbed.tick(at: Self.offset + 6_000)
        found += killed.tick(at: Self.offset + 6_000)
        for part in ["distance", "water", "motion"] {
            let (left, right) = (try ended(part, in: found).lasting, try ended(part, in: expected).lasting)
            #expect(left == right)
        }
        for kind in ["session/water", "segment", "hill"] {
            let lasting = { (messages: [DerivedJSON]) in messages.filter { $0.kind == kind }.map(\.lasting) }
            #expect(lasting(found) == lasting(expected), "\(kind)")
        }
    }

    @Test("A second workout ends the first, a reboot the last")
    func ends() throws {
        var device = TestDevice("runner", boot: "run")
        var frames = RecordedRun("run", rows: Self.rows(to: 90), marks: []).frames()
        frames += [device.workout("running", uptime: 1_000), device.workout("running", uptime: 1_050)]
        var next = TestDevice("runner", boot: "next", offset: Self.offset + 2_000)
        frames.append(next.depth(0, uptime: 100))
        let messages = run(frames.sorted { $0.at < $1.at }).filter { $0.kind == "session/distance" && !$0.isClearing }
        let sessions = messages.filter { $0.text("state") == "ended" }
        #expect(sessions.compactMap { $0.text("endedBy") } == ["restart", "reboot"])
        #expect(sessions.first?.number("elapsedTime") == 50)
        #expect(near(sessions.first?.number("distance"), 150))
        #expect((sessions.last?.number("distance") ?? 0) > 100)
    }

    @Test("Without a workout there is no session, unless sessions are implicit; such a session ends with the silence")
    func implicit() throws {
        let frames = RecordedRun("run", rows: Self.rows(to: 90), marks: []).frames()
        #expect(!run(frames).contains { $0.kind.hasPrefix("session/") })
        var harness = PipelineHarness(settings: .with { $0.derive[SessionDerivation.self].implicit = true })
        let messages = harness.send(frames) + harness.tick(at: Self.offset + 6_000)
        let session = try ended("distance", in: messages)
        #expect(session.text("endedBy") == "silence")
        #expect(near(session.number("distance"), 270))
        #expect(session.isNull("activity"))
    }

    @Test("Missing frames are counted, and lower the coverage", .slow)
    func gaps() throws {
        var frames = Self.frames()
        frames.removeAll { $0.message.topic.hasSuffix("/submersion") && (1_140..<1_150).contains($0.at - Self.offset) }
        let water = try ended("water", in: run(frames))
        #expect(water.number("gaps") == 1)
        #expect((water.number("coverage") ?? 1) < 335.5 / 345)
        #expect((water.number("coverage") ?? 0) > 330 / 345)
        #expect(try ended("distance", in: run(frames)).number("gaps") == 0)
    }
}
