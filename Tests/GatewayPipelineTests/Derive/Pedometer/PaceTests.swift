import Foundation
import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Pace and segments")
struct PaceTests {
    private let run = Walk(stretches: [.init(start: 0, end: 60), .init(start: 90, end: 150), .init(start: 154, end: 160)])

    private func near(_ left: Double?, _ right: Double, _ tolerance: Double = 1e-6) -> Bool {
        left.map { abs($0 - right) <= tolerance } ?? false
    }

    @Test("The pauses are taken out of the pace, and each stretch is a segment")
    func segments() throws {
        let events = try PedometerDerivation.walk(run.counts(to: 170) + run.events())
        #expect(events.segments.map(\.start.seconds) == [0, 90, 154])
        #expect(events.segments.map(\.end.seconds) == [60, 150, 160])
        for (segment, expected) in zip(events.segments, [180.0, 180, 18]) {
            #expect(near(segment.distance, expected, 1e-6))
            #expect(near(segment.averagePace, 1.0 / 3))
            #expect(near(segment.coverage, 1))
            #expect(near(segment.stepLength, 3 / 2.7, 0.1))
        }
        let pace = try #require(events.lastPace)
        #expect(pace.state == .paused)
        #expect(near(pace.totals.movingTime, 126))
        #expect(near(pace.totals.movingPace, 1.0 / 3))
        #expect(near(pace.totals.distance, 378))
        #expect(pace.totals.elapsedTime >= 160)
        #expect(events.allSatisfy { $0.isFinite })
    }

    @Test("A pause holds at its date, and is published at once")
    func atOnce() throws {
        let events = try PedometerDerivation.walk(run.counts(to: 100) + run.events())
        #expect(events.changes.prefix(3).map(\.state) == [.moving, .paused, .moving])
        #expect(events.changes.prefix(3).map(\.time).dropFirst() == [60, 90])
        let pause = try #require(events.first { ($0.body as? Pace)?.state == .paused })
        #expect((pause.body as? Pace)?.cause == .event)
        #expect((pause.body as? Pace)?.previous == .moving)
        #expect(pause.validUntil == nil)
        #expect(near((pause.body as? Pace)?.totals.movingTime, 60))
    }

    @Test(
        "The segments are the same however late and in whatever order events come, and with events doubled", .slow,
        arguments: 0..<50)
    func shuffled(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let expected = try PedometerDerivation.walk(run.counts(to: 200) + run.events())
        let late = run.events().map { event in
            var late = event
            late.at += Double.random(in: 0...3, using: &random)
            return late
        }
        let doubled = late.filter { _ in Bool.random(using: &random) }.map { event in
            var again = event
            again.at += Double.random(in: 0...3, using: &random)
            return again
        }
        let found = try PedometerDerivation.walk(run.counts(to: 200) + late + doubled, saving: true)
        #expect(found.segments.map(\.start) == expected.segments.map(\.start))
        #expect(found.segments.map(\.end) == expected.segments.map(\.end))
        for (left, right) in zip(found.segments, expected.segments) {
            #expect(near(left.distance, right.distance ?? 0, 1e-6))
            #expect(near(left.steps, right.steps, 1e-6))
        }
        #expect(near(found.lastPace?.totals.movingTime, 126))
        #expect(near(found.lastPace?.totals.movingPace, 1.0 / 3))
    }

    @Test("A doubled pause at another date changes nothing")
    func doubled() throws {
        let frames = run.counts(to: 170) + run.events()
        let expected = try PedometerDerivation.walk(frames)
        let found = try PedometerDerivation.walk(frames + [Walk.event(.pause, 75), Walk.event(.resume, 100)])
        #expect(found.segments == expected.segments)
        #expect(found.lastPace?.totals.movingTime == expected.lastPace?.totals.movingTime)
    }

    @Test("Writing the state and reading it back before every frame changes nothing")
    func saved() throws {
        let frames = run.counts(to: 170) + run.events()
        #expect(try PedometerDerivation.walk(frames, saving: true) == PedometerDerivation.walk(frames))
    }

    @Test("A gap in the data neither resets nor ends anything, and its counts are spread over the movement in it")
    func reconnect() throws {
        let frames = run.counts(to: 40) + run.counts(from: 100, to: 170) + run.events()
        let events = try PedometerDerivation.walk(frames)
        #expect(events.segments.map(\.end.seconds) == [60, 150, 160])
        #expect(near(events.segments.first?.distance, 120 + 90 * 20 / 30, 1e-6))
        #expect(near(events.segments.compactMap(\.distance).reduce(0, +), 378, 1e-6))
        #expect((events.segments.first?.coverage ?? 1) < 0.7)
        #expect(near(events.lastPace?.totals.distance, 378))
    }

    @Test("A new counter, or one with fewer steps, goes on from what was counted")
    func newCounter() throws {
        let first = Walk(stretches: [.init(start: 0, end: 50)])
        let second = Walk(stretches: [.init(start: 50, end: 100)], startDate: 1_050)
        var frames = first.counts(to: 50)
        frames += second.counts(from: 51, to: 100).map { frame in
            var frame = frame
            frame.samples.data[0].start = DeviceTime(50)
            return frame
        }
        let events = try PedometerDerivation.walk(frames)
        #expect(near(events.segments.compactMap(\.distance).reduce(0, +), 300, 1e-6))
        let restarted = try PedometerDerivation.walk(
            first.counts(to: 50) + Walk(stretches: [.init(start: 50, end: 100)]).counts(from: 51, to: 100))
        #expect(near(restarted.segments.compactMap(\.distance).reduce(0, +), 300, 1e-6))
        #expect(restarted.paces.allSatisfy { $0.totals.steps >= 0 && ($0.totals.distance ?? 0) >= 0 })
        #expect(zip(restarted.paces, restarted.paces.dropFirst()).allSatisfy { $0.totals.steps <= $1.totals.steps })
    }

    /// The sums of a counter with these readings, one a second, as the pace says that follows the last.
    private func sums(_ readings: [(steps: Int, distance: Double, floors: Int)]) throws -> PaceTotals? {
        try PedometerDerivation.walk(
            readings.enumerated().map { index, reading in
                let end = Double(index + 1)
                var data = PedometerData(
                    start: DeviceTime(0), startDate: UnixTime(1_000), end: DeviceTime(end), steps: reading.steps,
                    distance: reading.distance)
                data.floorsAscended = reading.floors
                return Walk.Timed(at: end, samples: PedometerSamples(data: [data]))
            }
        ).paces.last?.totals
    }

    @Test("A counter that falls by less than 100 and less than 10 % is corrected: it counts again once it is as high as before")
    func correction() throws {
        let dip = try sums([(50, 40, 5), (100, 80, 10), (99, 79.2, 9), (101, 80.8, 10), (120, 96, 12)])
        #expect(near(dip?.steps, 120) && near(dip?.distance, 96) && near(dip?.floorsAscended, 12))
        // Several falls in a row are measured from the greatest reading.
        let twice = try sums([(1_000, 800, 0), (950, 760, 0), (901, 720.8, 0), (1_010, 808, 0)])
        #expect(near(twice?.steps, 1_010) && near(twice?.distance, 808))
        // The distance alone.
        #expect(near(try sums([(100, 80, 0), (110, 79, 0), (120, 90, 0)])?.distance, 90))
    }

    @Test(
        "A counter that falls further is a new one",
        arguments: [(100, 90, 90.0), (100, 0, 0), (5_000, 4_900, 4_900), (2_000, 1_800, 1_800), (5_000, 4_901, 0)])
    func fall(before: Int, after: Int, counted: Double) throws {
        let sums = try sums([(before, 0, 0), (after, 0, 0)])
        #expect(near(sums?.steps, Double(before) + counted))
    }

    @Test("A resumption that was lost is repaired by more than eight steps, from the first of them")
    func repaired() throws {
        let events = try PedometerDerivation.walk(
            run.counts(to: 140) + run.events().filter { $0.samples.events[0].time.seconds != 90 })
        let change = try #require(events.first { ($0.body as? Pace)?.state == .moving && $0.time.seconds > 60 })
        #expect((change.body as? Pace)?.cause == .steps)
        #expect(abs(change.time.seconds - 90) <= 1)
        let few = Walk(stretches: [.init(start: 0, end: 60), .init(start: 70, end: 72)])
        let still = try PedometerDerivation.walk(few.counts(to: 100) + [Walk.event(.pause, 60)])
        #expect(still.changes.prefix(2).map(\.state) == [.moving, .paused])
        #expect(still.changes.count == 2)
    }

    @Test("Without events a pause is dated back to the last step, and the next step ends it")
    func bySteps() throws {
        var settings = PedometerSettings()
        settings.tracksEvents = false
        let events = try PedometerDerivation.walk(run.counts(to: 200), settings)
        #expect(events.segments.count == 2)
        #expect(events.segments.map { $0.end.seconds.rounded() } == [60, 160])
        #expect(abs((events.segments.last?.start.seconds ?? 0) - 90) <= 1)
        #expect(events.paces.filter { $0.state == .paused }.allSatisfy { $0.cause == .steps })
        // A pause of 4 s is none.
        #expect(abs((events.lastPace?.totals.movingTime ?? 0) - 130) <= 2)
    }

    @Test("Silence makes the state unknown, and the segment ends with the last data")
    func silence() throws {
        let events = try PedometerDerivation.walk(Walk(stretches: [.init(start: 0, end: 60)]).counts(to: 60))
        #expect(events.changes.map(\.state) == [.moving, .unknown])
        #expect(events.changes.last?.time == 70)
        #expect(events.paces.last?.cause == .silence)
        #expect(events.segments.map(\.end.seconds) == [60])
        #expect(near(events.segments.first?.distance, 180))
    }

    @Test("The pace is smoothed, null while standing, and absent without a distance")
    func pace() throws {
        let events = try PedometerDerivation.walk(run.counts(to: 100) + run.events())
        let moving = try #require(events.first { $0.time.seconds > 50 && ($0.body as? Pace)?.state == .moving }?.body as? Pace)
        #expect(near(moving.pace, 1.0 / 3, 1e-3))
        #expect(near(moving.cadence, 2.7, 0.2))
        let paused = try #require(events.paces.first { $0.state == .paused })
        #expect(paused.pace == nil && paused.cadence == nil)
        let slow = Walk(stretches: [.init(start: 0, end: 100, speed: 0.1)])
        #expect(try PedometerDerivation.walk(slow.counts(to: 60)).paces.allSatisfy { $0.pace == nil })
        let without = run.counts(to: 60).map { frame in
            var frame = frame
            frame.samples.data[0].distance = nil
            return frame
        }
        let counted = try PedometerDerivation.walk(without)
        #expect(counted.paces.allSatisfy { $0.pace == nil && $0.totals.distance == nil && $0.totals.movingPace == nil })
        #expect(counted.segments.allSatisfy { $0.distance == nil && $0.averagePace == nil && $0.steps > 0 })
    }

    @Test("An unchanged state is published every five seconds, and a moving one is valid for ten")
    func refreshed() throws {
        let events = try PedometerDerivation.walk(Walk(stretches: [.init(start: 0, end: 61)]).counts(to: 60))
        let moving = events.filter { ($0.body as? Pace)?.state == .moving }
        #expect(moving.count == 12)
        #expect(moving.allSatisfy { $0.validUntil == $0.time + 10 })
    }

    private func change(_ state: WorkoutState, _ time: Double) -> PedometerDerivation.Input {
        .workout(WorkoutChange(state: state, time: DeviceTime(time)))
    }

    @Test("A workout begins a count, pauses it and ends it")
    func workout() throws {
        var derivation = PedometerDerivation()
        let settings = PedometerSettings()
        var events: [DerivedEvent] = []
        let walk = Walk(stretches: [.init(start: 0, end: 100), .init(start: 120, end: 300)])
        for frame in walk.counts(to: 300) {
            switch frame.at {
            case 50: events += derivation.take(change(.running, 50), settings)
            case 101: events += derivation.take(change(.paused, 100), settings)
            case 121: events += derivation.take(change(.running, 120), settings)
            case 201: events += derivation.take(change(.ended, 200), settings)
            default: break
            }
            events += derivation.take(.samples(frame.samples, sequence: nil), settings)
        }
        #expect(events.segments.prefix(3).map(\.start.seconds) == [0, 50, 120])
        #expect(events.segments.prefix(3).map(\.end.seconds) == [50, 100, 200])
        let ended = try #require(events.first { $0.time.seconds == 200 && ($0.body as? Pace)?.state == .paused }?.body as? Pace)
        #expect(ended.cause == .workout)
        #expect(near(ended.totals.movingTime, 130))
        #expect(near(ended.totals.distance, 3 * 130, 6))
        #expect((events.lastPace?.totals.elapsedTime ?? 1_000) < 101)
    }

    @Test("A device that sends no pedometer data gets neither pace nor segment of its workouts")
    func onlyWorkouts() throws {
        var derivation = PedometerDerivation()
        let settings = PedometerSettings()
        var events: [DerivedEvent] = []
        for (state, time) in [(WorkoutState.running, 0.0), (.paused, 50), (.running, 60), (.ended, 100), (.running, 200)] {
            events += derivation.take(change(state, time), settings)
            derivation.fire(until: DeviceTime(time + 49), settings: settings, into: &events)
        }
        derivation.fire(until: DeviceTime(100_000), settings: settings, into: &events)
        #expect(events.isEmpty)
        let walk = Walk(stretches: [.init(start: 300, end: 400)])
        events = derivation.take(change(.running, 300), settings)
        for frame in walk.counts(to: 330) where frame.at >= 302 {
            events += derivation.take(.samples(frame.samples, sequence: nil), settings)
        }
        let first = try #require(events.first?.body as? Pace)
        #expect(first.state == .moving && first.cause == .workout)
    }

    @Test("resetCounts begins a new count")
    func reset() throws {
        var derivation = PedometerDerivation()
        let settings = PedometerSettings()
        let walk = Walk(stretches: [.init(start: 0, end: 200)])
        for frame in walk.counts(to: 100) { _ = derivation.take(.samples(frame.samples, sequence: nil), settings) }
        let reset = derivation.take(.reset(DeviceTime(100.5)), settings)
        #expect(reset.paces.last?.totals.steps == 0)
        #expect(reset.segments.map(\.end.seconds) == [100.5])
        for frame in walk.counts(from: 101, to: 120) {
            let events = derivation.take(.samples(frame.samples, sequence: nil), settings)
            for pace in events.paces { #expect(near(pace.totals.distance, 3 * (frame.at - 100.5), 3)) }
        }
    }

    @Test("After a restart of the gateway a movement is unknown until data confirm it")
    func restart() throws {
        var derivation = PedometerDerivation()
        let settings = PedometerSettings()
        let walk = Walk(stretches: [.init(start: 0, end: 200)])
        for frame in walk.counts(to: 100) { _ = derivation.take(.samples(frame.samples, sequence: nil), settings) }
        derivation = try derivation.saved()
        derivation.markRestored()
        let announced = try #require(
            PedometerDerivation.announcement(of: derivation, settings: settings, changesOwner: false) as? Pace)
        #expect(announced.state == .unknown && announced.cause == .restart && announced.previous == .moving)
        let next = derivation.take(.samples(walk.counts(from: 101, to: 101)[0].samples, sequence: nil), settings)
        #expect(next.paces.map(\.state) == [.moving])
        #expect(next.paces.map(\.previous) == [.unknown])
        #expect(near(next.paces.first?.totals.distance, 303))
    }

    @Test("The lane of the pedometer publishes it, though it has no depths")
    func announced() {
        var device = TestDevice()
        var harness = PipelineHarness()
        harness.pipeline = Pipeline(
            settings: PipelineHarness.settings, policy: AccessPolicy(unknown: .everything), streams: [.pedometer])
        for uptime in stride(from: 100.0, to: 110, by: 1) {
            let data = #""startDate":\#(device.offset),"endDate":\#(device.offset + uptime),"numberOfSteps":\#(Int(2 * uptime))"#
            _ = harness.send(device.frame("pedometer", uptime: uptime, #""data":[{\#(data)}]"#))
        }
        let messages = harness.end()
        #expect(messages.map(\.kind) == ["pace"])
        #expect(messages.map { $0.text("state") } == ["unknown"] && messages.map { $0.text("previous") } == ["moving"])
    }

    @Test("Data that were queued when the gateway started again give what they gave before, and those after them confirm it")
    func restartWithQueue() throws {
        var settings = PedometerSettings()
        let walk = Walk(stretches: [.init(start: 0, end: 200)])
        var before = PedometerDerivation()
        for frame in walk.counts(to: 100) { _ = before.take(.samples(frame.samples, sequence: nil), settings) }
        var after = try before.saved()
        after.markRestored()
        settings.isCurrent = false
        for frame in walk.counts(from: 101, to: 120) {
            let expected = before.take(.samples(frame.samples, sequence: nil), settings)
            #expect(after.take(.samples(frame.samples, sequence: nil), settings).paces == expected.paces)
        }
        settings.isCurrent = true
        let next = after.take(.samples(walk.counts(from: 121, to: 121)[0].samples, sequence: nil), settings)
        #expect(next.paces.map(\.previous) == [.unknown])
    }

    @Test("A segment begins with the frame that showed its beginning, whether a timer or a frame settles it")
    func firstSequence() {
        let frames = (run.counts(to: 240, every: 5) + run.events()).sorted { $0.at < $1.at }
        func events(firingTimers: Bool) -> [DerivedEvent] {
            var derivation = PedometerDerivation()
            return frames.indices.flatMap { index in
                (firingTimers ? derivation.wait(until: frames[index].at.nextDown, .init()) : [])
                    + derivation.take(.samples(frames[index].samples, sequence: UInt64(index)), .init())
            }
        }
        let (timed, untimed) = (events(firingTimers: true), events(firingTimers: false))
        func segments(_ events: [DerivedEvent]) -> [DerivedEvent.Frames] { events.filter { $0.body is Segment }.map(\.frames) }
        #expect(segments(timed).count == 3)
        #expect(segments(timed) == segments(untimed))
        let resumptions = frames.indices.filter { frames[$0].samples.events.first?.kind == .resume }
        #expect(segments(timed).dropFirst() == resumptions.dropFirst().map { .from(UInt64($0)) }[...])
    }

    @Test("A segment that a workout began before the first frame begins with that", arguments: [false, true])
    func firstSequenceOfWorkout(isResumed: Bool) {
        let walk = Walk(stretches: [.init(start: 5, end: 100)])
        var derivation = PedometerDerivation()
        for (state, time) in [(WorkoutState.running, 1.0), (.paused, 2), (.running, 4)].prefix(isResumed ? 3 : 1) {
            _ = derivation.take(.workout(WorkoutChange(state: state, time: DeviceTime(time))), .init())
        }
        let frames = (walk.counts(from: 6, to: 130) + [Walk.event(.pause, 100)]).sorted { $0.at < $1.at }
        let segments = frames.enumerated().flatMap { number, frame in
            derivation.take(.samples(frame.samples, sequence: UInt64(number + 7)), .init())
        }.filter { $0.body is Segment }
        #expect(segments.last?.frames == .from(7))
    }

    @Test("A pause in data that were queued is one pause, also where the next data confirm it")
    func pauseInQueue() throws {
        var settings = PedometerSettings()
        let walk = Walk(stretches: [.init(start: 0, end: 110)])
        var derivation = PedometerDerivation()
        for frame in walk.counts(to: 100) { _ = derivation.take(.samples(frame.samples, sequence: nil), settings) }
        derivation = try derivation.saved()
        derivation.markRestored()
        settings.tracksEvents = false
        settings.isCurrent = false
        var paces: [Pace] = []
        for frame in walk.counts(from: 101, to: 140) {
            settings.isCurrent = frame.at > 130
            paces += derivation.take(.samples(frame.samples, sequence: nil), settings).paces
        }
        #expect(paces.contains { $0.state == .paused && $0.previous == .moving })
        #expect(paces.filter { $0.state == .paused && $0.previous != .paused }.count == 1)
        #expect(paces.allSatisfy { $0.previous != .unknown })
    }
}

extension PedometerDerivation {
    /// Written out and read back.
    func saved() throws -> Self { try JSONDecoder().decode(Self.self, from: JSONEncoder().encode(self)) }
}
