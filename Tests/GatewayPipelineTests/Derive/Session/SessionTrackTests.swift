import Foundation
@testable import GatewayPipeline
import StateCoding
import TelemetryModel
import Testing

@Suite("Sessions, event by event")
struct SessionTrackTests {
    private let settings = SessionSettings()
    private let boot: BootID

    init() throws { boot = try #require(BootID("b")) }

    private func workout(_ state: WorkoutState, _ time: Double) -> Occurrence {
        let body = DecodedBody.model(.workout(WorkoutChange(state: state, time: DeviceTime(time))))
        let message = DecodedMessage(
            InboundMessage(topic: "t", payload: []), received: .at(time), scope: SequenceScope(.workout),
            header: FrameHeader(boot: boot, sequence: nil, uptime: DeviceTime(time), sent: nil), content: .frames([body]))
        let frame = try? NormalizedFrame(
            body, of: message, clock: DeviceClock(), conventions: [:], futureSkewSeconds: .infinity)
        guard let frame else { preconditionFailure("a workout has no dates that could be refused") }
        return .frame(frame)
    }

    private func dive(_ end: Double, duration: Double = 20) -> Occurrence {
        .event(
            DerivedEvent(
                time: DeviceTime(end),
                body: Dive(
                    start: DeviceTime(end - duration), end: DeviceTime(end), deepest: 4, averageDepth: 2, minimumTemperature: 11,
                    ascentRate: 0.1, surfaceInterval: nil)), of: .submersion)
    }

    @Test("a sum in which every field is written is read, and written without its zeros")
    func allFields() throws {
        struct Strokes: Codable { var forehands = 2, backhands = 0 }
        struct Exercise: Codable { var repetitions = 9, sets = 1, punches = 0, strokes = Strokes() }
        struct Swings: Codable {
            var exercise = Exercise(), hits = 1, misses = 0, impacts = 3, bestTimeToContact: Double? = 0.2, timeToContact = 0.2
            var peakAcceleration: Double?
        }
        struct Totals: Codable { var steps = 7, movingTime = 0.0 }
        struct Distances: Codable {
            var segments = 1, ended = Totals(), latest = Totals(), pauses = 0, ascent: Double? = 4, adjustedTime = 0.0
            var adjustedDistance = 0.0, hills = 0
        }
        struct Motions: Codable { var exercise = Exercise(), poses = 0 }
        struct Waters: Codable { var dives = 0, timeUnderWater = 0.0, isWithheld = true, faults = 2 }
        func expect<Sum: SessionSum>(_ type: Sum.Type, _ document: some Encodable) throws {
            let sum = try StateCoder.decode(Sum.self, from: StateCoder.encode(document))
            #expect(sum != Sum())
            let written = try StateCoder.encode(sum)
            #expect(try StateCoder.decode(Sum.self, from: written) == sum)
            #expect(try written.count < StateCoder.encode(document).count)
            #expect(try StateCoder.decode(Sum.self, from: StateCoder.encode(Sum())) == Sum())
        }
        try expect(SwingSum.self, Swings())
        try expect(DistanceSum.self, Distances())
        try expect(MotionSum.self, Motions())
        try expect(WaterSum.self, Waters())
    }

    private func run(_ occurrences: [Occurrence], until end: Double) throws -> [SessionReport<WaterSum>] {
        var derivation = SessionDerivation()
        var output = DerivationOutput()
        for occurrence in occurrences {
            derivation = try StateCoder.decode(SessionDerivation.self, from: StateCoder.encode(derivation))
            derivation.take(occurrence, settings: settings, into: &output)
        }
        derivation.fire(until: DeviceTime(end), settings: settings, into: &output.events)
        return output.events.compactMap { $0.body as? SessionReport<WaterSum> }
    }

    private func dives(_ report: SessionReport<WaterSum>?) -> FieldValue? {
        report.flatMap { report in WaterSum.kind.fields.first { "\($0.name)" == "dives" }?.value(report) }
    }

    @Test("An event that comes late revises the session that it belongs to, again and again")
    func revised() throws {
        var derivation = SessionDerivation()
        var output = DerivationOutput()
        for occurrence in [workout(.running, 100), dive(150), workout(.ended, 300)] {
            derivation.take(occurrence, settings: settings, into: &output)
        }
        derivation.fire(until: DeviceTime(400), settings: settings, into: &output.events)
        derivation.take(dive(290), settings: settings, into: &output)
        derivation.take(dive(301), settings: settings, into: &output)
        derivation.take(dive(50_000), settings: settings, into: &output)
        derivation.take(dive(280), settings: settings, into: &output)
        derivation.take(dive(300 + 37 * 3_600), settings: settings, into: &output)
        derivation.take(dive(270), settings: settings, into: &output)
        let ended = output.events.compactMap { $0.body as? SessionReport<WaterSum> }.filter { $0.session.state == .ended }
        #expect(ended.map(\.session.revision) == [0, 1, 2])
        #expect(ended.map(dives) == [.integer(1), .integer(2), .integer(3)])
        #expect(ended.allSatisfy { $0.session.end == DeviceTime(300) })
    }

    @Test("A workout that becomes known after the events in it counts them, and none before it")
    func late() throws {
        let reports = try run(
            [dive(99), dive(101), dive(105), workout(.running, 100), workout(.ended, 103)], until: 200)
        #expect(reports.map(\.session.state) == [.ended])
        #expect(dives(reports.last) == .integer(1))
    }

    @Test("A session that was published as running is ended, though a late end leaves nothing in it")
    func emptied() throws {
        var derivation = SessionDerivation()
        var output = DerivationOutput()
        for occurrence in [workout(.running, 100), dive(212)] { derivation.take(occurrence, settings: settings, into: &output) }
        derivation.fire(until: DeviceTime(300), settings: settings, into: &output.events)
        derivation.take(workout(.ended, 110), settings: settings, into: &output)
        derivation.fire(until: DeviceTime(1_000), settings: settings, into: &output.events)
        let reports = output.events.compactMap { $0.body as? SessionReport<WaterSum> }
        #expect(reports.first?.session.state == .running)
        #expect(reports.last?.session.state == .ended && dives(reports.last) == .integer(0))
    }

    @Test("Sets, punches and strokes count in the part of the stream that they were derived from, and in no other")
    func streams() throws {
        let punch = Punch(
            impactAt: DeviceTime(150), peakAcceleration: 9, direction: .x, speedBefore: nil, recoil: nil, recoilTime: nil,
            count: 1,
            hand: nil, sampleRate: 100, clipped: false)
        let event = DerivedEvent(time: punch.impactAt, body: punch)
        func sums<Sum: ExerciseSum>(_: Sum.Type, of stream: StreamName) -> [ExerciseCount] {
            var derivation = SessionDerivation()
            var output = DerivationOutput()
            for occurrence in [workout(.running, 100), .event(event, of: stream), workout(.ended, 300)] {
                derivation.take(occurrence, settings: settings, into: &output)
            }
            derivation.fire(until: DeviceTime(400), settings: settings, into: &output.events)
            return output.events.compactMap { ($0.body as? SessionReport<Sum>)?.sum.exercise }
        }
        #expect(sums(MotionSum.self, of: .deviceMotion).last == ExerciseCount(punch))
        #expect(sums(SwingSum.self, of: .deviceMotion).isEmpty)
        #expect(sums(SwingSum.self, of: .batchedIMU).last == ExerciseCount(punch))
        #expect(sums(SwingSum.self, of: .recordedAccelerometer).last == ExerciseCount(punch))
        #expect(sums(MotionSum.self, of: .batchedIMU).isEmpty)
    }

    @Test("A session that lasts for a day has ended; one in which nothing happened is not published")
    func day() throws {
        let reports = try run([workout(.running, 100), dive(200)], until: 200_000)
        #expect(reports.last?.session.endedBy == .silence)
        #expect(reports.last?.session.end == DeviceTime(200))
        #expect(try run([workout(.running, 100), workout(.ended, 5_000)], until: 200_000).isEmpty)
    }

    @Test("A workout that is published again changes nothing")
    func repeated() throws {
        let once = try run([workout(.running, 100), dive(200), workout(.ended, 300)], until: 400)
        let twice = try run(
            [
                workout(.running, 100), workout(.running, 100), dive(200), workout(.paused, 250), workout(.paused, 250),
                workout(.running, 260), workout(.running, 260), workout(.ended, 300), workout(.ended, 300),
                workout(.running, 100),
            ], until: 400)
        #expect(once.last?.session.activeTime == 200)
        #expect(twice.last?.session.activeTime == 190)
        #expect(twice.last?.session.elapsedTime == 200)
        #expect(twice.filter { $0.session.state == .ended }.count == 1)
    }

    private func depthState(_ time: Double) -> Occurrence {
        .event(
            DerivedEvent(
                time: DeviceTime(time),
                body: DepthStateChange(
                    state: .submergedShallow, previous: .submergedShallow, cause: .sample, depth: 0.8, maximumDepth: 40)),
            of: .submersion)
    }

    @Test("A state that is published every second counts in a session within it, and does not fill the state")
    func level() throws {
        let states = stride(from: 0.0, through: 60, by: 1).map(depthState)
        let within = try run(states + [workout(.running, 40.5), workout(.ended, 45.5)], until: 200)
        #expect(within.map(\.session.state) == [.ended])
        #expect(try run(states + [workout(.running, 61), workout(.ended, 65)], until: 200).isEmpty)
        #expect(try run(states + [workout(.running, 60), workout(.ended, 65)], until: 200).count == 1)

        var derivation = SessionDerivation()
        var output = DerivationOutput()
        for state in states { derivation.take(state, settings: settings, into: &output) }
        #expect(try StateCoder.encode(derivation).count < 500)
    }

    private func temperature(_ time: Double) -> Occurrence {
        .event(
            DerivedEvent(time: DeviceTime(time), body: WaterTemperature(temperature: 20, uncertainty: 0.5, converged: true)),
            of: .submersion)
    }

    @Test("States and temperatures that alternate are counted as those that follow each other, and do not fill the state either")
    func levelsSideBySide() throws {
        let states = stride(from: 0.0, through: 200, by: 1).map(depthState)
        let alternating = states.enumerated().flatMap { [$1, temperature(Double($0) + 0.4)] }
        let workouts = [workout(.running, 190.5), workout(.ended, 195.5)]
        #expect(try run(alternating + workouts, until: 400).map(\.session) == run(states + workouts, until: 400).map(\.session))

        var settings = settings
        settings.implicit = true
        var derivation = SessionDerivation()
        var output = DerivationOutput()
        for (index, level) in alternating.enumerated() {
            derivation.take(level, settings: settings, into: &output)
            derivation.fire(until: DeviceTime(Double(index) / 2), settings: settings, into: &output.events)
        }
        let reports = output.events.compactMap { $0.body as? SessionReport<WaterSum> }
        let seconds = settings.refreshSeconds
        #expect(reports.map(\.session.elapsedTime) == stride(from: seconds, through: 195, by: seconds).map { $0 })
        #expect(try StateCoder.encode(derivation).count < 700)
    }

    @Test("A level that goes on from one session into the next still counts in both when the first is revised")
    func levelOfTwoSessions() throws {
        let states = stride(from: 90.0, through: 125, by: 1).map(depthState)
        let workouts = [workout(.running, 100), workout(.ended, 110), workout(.running, 115), workout(.ended, 120)]
        var derivation = SessionDerivation()
        var output = DerivationOutput()
        for occurrence in states + workouts + [dive(400)] { derivation.take(occurrence, settings: settings, into: &output) }
        derivation.fire(until: DeviceTime(500), settings: settings, into: &output.events)
        let reports = output.events.compactMap { $0.body as? SessionReport<WaterSum> }
        #expect(reports.filter { $0.session.state == .ended }.map(\.session.start) == [DeviceTime(100), DeviceTime(115)])
    }

    @Test("However many events and sessions, the state stays small")
    func bounded() throws {
        var derivation = SessionDerivation()
        var output = DerivationOutput()
        for number in 0..<2_000 {
            let time = 100 + Double(number)
            if number % 50 == 0 { derivation.take(workout(.running, time), settings: settings, into: &output) }
            if number % 50 == 20 { derivation.take(workout(.paused, time), settings: settings, into: &output) }
            derivation.take(dive(time + 0.5), settings: settings, into: &output)
            derivation.take(dive(time + 0.6), settings: settings, into: &output)
        }
        #expect(try StateCoder.encode(derivation).count < 40_000)
    }
}
