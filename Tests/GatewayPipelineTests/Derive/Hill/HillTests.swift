import Foundation
@testable import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Climb of segments, and hills")
struct HillTests {
    /// One segment: seconds of running at 3 m/s, climbing at a constant rate, and then a pause of a minute.
    private struct Part {
        var seconds: Double
        /// In m.
        var climb: Double
        /// In steps/s.
        var cadence = 2.7
    }

    private func run(_ parts: [Part], hasAltitude: Bool = true) throws -> [DerivedEvent] {
        var derivation = PedometerDerivation()
        var events: [DerivedEvent] = []
        let settings = PedometerSettings()
        var (start, height) = (0.0, 0.0)
        var stretches: [Walk.Stretch] = []
        var heights: [(time: Double, height: Double)] = []
        for part in parts {
            stretches.append(.init(start: start, end: start + part.seconds, cadence: part.cadence))
            for second in stride(from: 0, to: part.seconds + 60, by: 1) {
                heights.append((start + second, height + part.climb * min(1, second / part.seconds)))
            }
            height += part.climb
            start += part.seconds + 60
        }
        let walk = Walk(stretches: stretches)
        var frames = (walk.counts(to: start) + walk.events()).sorted { $0.at < $1.at }[...]
        for (time, height) in heights {
            while let frame = frames.first, frame.at <= time {
                frames.removeFirst()
                events += derivation.wait(until: frame.at.nextDown, settings)
                events += derivation.take(.samples(frame.samples, sequence: nil), settings)
            }
            if hasAltitude {
                events += derivation.take(
                    .altimeter(AltimeterSamples(timestamp: [time], relativeAltitude: [height])), settings)
            }
            derivation = try derivation.saved()
        }
        return events + derivation.wait(until: start + 3_600, settings)
    }

    @Test("The cost of a grade is Minetti's")
    func cost() {
        #expect(GradeCost.cost(grade: 0) == 3.6)
        #expect(abs(GradeCost.cost(grade: 0.1) - 5.97) < 0.01)
        #expect(abs(GradeCost.cost(grade: -0.1) - 2.15) < 0.01)
        let grades = stride(from: -0.45, through: 0.45, by: 0.001)
        let least = grades.min { GradeCost.cost(grade: $0) < GradeCost.cost(grade: $1) }
        #expect(abs((least ?? 0) + 0.18) < 0.01)
        #expect(GradeCost.cost(grade: 5) == GradeCost.cost(grade: 0.45))
        #expect(GradeCost.cost(grade: -5) == GradeCost.cost(grade: -0.45))
    }

    @Test("A segment has its climb, grade, adjusted pace and cost", .slow)
    func climb() throws {
        let segments = try run([Part(seconds: 200, climb: 30), Part(seconds: 200, climb: 0), Part(seconds: 200, climb: -30)])
            .segments
        #expect(segments.count == 3)
        let (up, level, down) = (
            try #require(segments[0].climb), try #require(segments[1].climb), try #require(segments[2].climb)
        )
        #expect(abs(up.netClimb - 30) < 0.6 && abs(up.ascent - 30) < 0.6 && up.descent == 0)
        #expect(up.hill == .up && level.hill == nil && down.hill == .down)
        #expect(abs((up.averageGrade ?? 0) - 0.05) < 0.001)
        let pace = 1.0 / 3
        #expect(abs((up.gradeAdjustedPace ?? 0) - pace * 3.6 / GradeCost.cost(grade: 0.05)) < 0.005)
        #expect(abs((down.gradeAdjustedPace ?? 0) - pace * 3.6 / GradeCost.cost(grade: -0.05)) < 0.01)
        #expect(abs((level.gradeAdjustedPace ?? 0) - pace) < 0.01)
        #expect(abs((level.energy ?? 0) - 3.6 * 600 / 1_000) < 0.05)
        #expect(abs((up.energy ?? 0) - GradeCost.cost(grade: 0.05) * 600 / 1_000) < 0.05)
    }

    @Test("Walking has no adjusted pace, and without altitude nothing of the climb is known")
    func unknown() throws {
        let walking = try #require(run([Part(seconds: 200, climb: 30, cadence: 1.9)]).segments.first?.climb)
        #expect(walking.gradeAdjustedPace == nil && walking.energy != nil)
        #expect(try run([Part(seconds: 200, climb: 30)], hasAltitude: false).segments.map(\.climb) == [nil])
    }

    @Test("What was climbed and covered before the first resumption is not the segment's")
    func climbBeforeMovement() throws {
        var derivation = PedometerDerivation()
        var events: [DerivedEvent] = []
        let settings = PedometerSettings()
        let walk = Walk(stretches: [.init(start: 100, end: 200)])
        // A lift of 50 m and then a run on level ground, of which 25 s are not counted.
        let counts = walk.counts(to: 240).filter { $0.at <= 110 || $0.at > 134 }
        let frames = (counts + walk.events()).sorted { $0.at < $1.at }
        for frame in frames {
            let height = 50 * min(max((frame.at - 10) / 70, 0), 1)
            events += derivation.wait(until: frame.at.nextDown, settings)
            events += derivation.take(
                .altimeter(AltimeterSamples(timestamp: [frame.at], relativeAltitude: [height])), settings)
            events += derivation.take(.samples(frame.samples, sequence: nil), settings)
        }
        let segment = try #require(events.segments.first)
        let climb = try #require(segment.climb)
        #expect(segment.start == DeviceTime(100))
        #expect(abs(climb.netClimb) < 0.5 && climb.ascent < 0.5 && climb.hill == nil)
        #expect(abs(segment.coverage - 0.76) < 0.02)
    }

    @Test("The same hill is recognized among others, and its times are ranked", .slow)
    func ranks() throws {
        let parts = [
            Part(seconds: 200, climb: 30), Part(seconds: 100, climb: -15), Part(seconds: 190, climb: 31),
            Part(seconds: 300, climb: 30),
            Part(seconds: 90, climb: 45), Part(seconds: 210, climb: 29), Part(seconds: 200, climb: -30),
            Part(seconds: 60, climb: 12),
        ]
        let hills = try run(parts).compactMap { $0.body as? HillAttempt }
        #expect(hills.map(\.hill) == [1, 2, 1, 3, 4, 1, 5, 6])
        #expect(hills.map(\.attempt) == [1, 1, 2, 1, 1, 3, 1, 1])
        #expect(hills.map(\.rank) == [1, 1, 1, 1, 1, 3, 1, 1])
        #expect(hills.map(\.previousDuration) == [nil, nil, 200, nil, nil, 190, nil, nil])
        #expect(hills.map(\.bestDuration) == [200, 100, 190, 300, 90, 190, 200, 60])
        #expect(hills.map(\.isFirst) == [true] + Array(repeating: false, count: 7))
        #expect(abs((hills[0].verticalSpeed ?? 0) - 9) < 0.3)
    }

    @Test("Hills are known over a boot, and fifty of them at most")
    func memory() throws {
        var book = HillBook()
        func segment(_ climb: Double, seconds: Double = 100) -> Segment {
            Segment(
                start: DeviceTime(0), end: DeviceTime(seconds), steps: 100, distance: climb * 10, coverage: 1,
                climb: SegmentClimb(ascent: climb, descent: 0, netClimb: climb, hill: .up))
        }
        for number in 0..<60 { #expect(book.add(segment(20 * pow(1.3, Double(number))))?.hill == number + 1) }
        #expect(book.add(segment(20))?.hill == 61)
        #expect(book.add(segment(20 * pow(1.3, 59)))?.attempt == 2)
        for _ in 0..<100 { #expect(book.add(segment(20, seconds: 50))?.rank == 1) }
        #expect(try JSONEncoder().encode(book).count < 10_000)
        var flat = segment(20)
        flat.climb?.hill = nil
        #expect(book.add(flat) == nil)
    }

    @Test("Hills and climb follow both streams through the gateway, over a reboot")
    func throughTheGateway() throws {
        var harness = PipelineHarness()
        func messages(boot: String, offset: Double) -> [DerivedJSON] {
            var device = TestDevice("d1", boot: boot, offset: offset)
            let unix = offset + 100
            var recorded: [RecordedMessageTime] = []
            for second in 0...130 {
                let moved = Double(min(second, 100))
                recorded.append(
                    .init(
                        uptime: 100 + Double(second), stream: "pedometer",
                        body:
                            #""data":[{"startDate":\#(unix),"endDate":\#(unix + Double(second)),"numberOfSteps":\#(Int(moved * 2.7)),"distance":\#(moved * 3)}]"#
                    ))
                recorded.append(
                    .init(
                        uptime: 100 + Double(second), stream: "altimeter",
                        body: #""samples":{"timestamp":[\#(100 + Double(second))],"relativeAltitude":[\#(moved / 5)]}"#))
            }
            recorded.append(
                .init(uptime: 200.3, stream: "pedometer", body: #""events":[{"type":0,"date":\#(unix + 100)}]"#))
            return recorded.sorted { $0.uptime < $1.uptime }.flatMap {
                harness.send(device.frame($0.stream, uptime: $0.uptime, $0.body))
            }
        }
        let first = messages(boot: "b1", offset: 1_763_744_000)
        let second = messages(boot: "b2", offset: 1_763_745_000)
        let hills = (first + second).filter { $0.kind == "hill" }
        #expect(hills.compactMap { $0.number("hill") } == [1, 1])
        #expect(hills.compactMap { $0.number("attempt") } == [1, 2])
        let segments = (first + second).filter { $0.kind == "segment" }
        #expect(hills.map { $0.text("segment") } == segments.map { $0.text("id") })
        #expect(segments.allSatisfy { !$0.retain })
        #expect(abs((segments.first?.number("netClimb") ?? 0) - 20) < 0.7)
        #expect(first.contains { $0.kind == "altitude" && $0.retain })
        #expect(first.contains { $0.kind == "pace" && $0.retain })
    }

    private struct RecordedMessageTime {
        var uptime: Double
        var stream: String
        var body: String
    }
}
