import Foundation
import GatewayTestSupport
import Testing

/// Runs with the totals of the watches that recorded them. `make truth` prints the figures.
@Suite("Truth: runs", .slow)
struct RunTruthTests {
    private func row(_ kind: String, _ data: String, _ metric: String, _ figure: String, goal: String, people: Int? = 1) {
        Truth.row(kind, data: data, people: people, metric, figure, goal: goal)
    }

    private func number(_ value: Double?, _ decimals: Int = 1) -> String {
        value.map { String(format: "%.\(decimals)f", $0) } ?? "none"
    }

    /// Whether a total is within 8 %, or 6 m, of the watch's.
    private func agrees(_ found: Double?, _ expected: Double) -> Bool {
        found.map { abs($0 - expected) <= max(6, 0.08 * expected) } ?? false
    }

    @Test("A city run with 19 pauses has 18 segments and its own moving pace", .recordings(in: "second-half/runs"))
    func urban() throws {
        let figures = RunFigures(try RecordedRun(named: "urban_19_pauses"))
        let totals = try RecordedRun.totals(of: "urban_19_pauses")
        let pace = try #require(figures.pace)
        let elapsedPace = (pace.number("elapsedTime") ?? 0) / (pace.number("distance") ?? 1)
        row("segment", "urban_19_pauses", "segments", "\(figures.segments.count)", goal: "18")
        row("pace", "urban_19_pauses", "moving time, s", number(figures.movingTime), goal: number(totals.total_timer_time))
        row("pace", "urban_19_pauses", "moving pace, s/m", number(pace.number("movingPace"), 4), goal: "0.4087")
        row("pace", "urban_19_pauses", "elapsed pace, s/m", number(elapsedPace, 4), goal: "0.5145")
        let (ascent, descent) = (figures.altitude?.number("ascent"), figures.altitude?.number("descent"))
        row("altitude", "urban_19_pauses", "ascent and descent, m", "\(number(ascent)) and \(number(descent))", goal: "99 and 99")
        #expect(figures.segments.count == 18)
        #expect(abs(figures.movingTime - totals.total_timer_time) <= 5)
        #expect(abs((pace.number("movingTime") ?? 0) - totals.total_timer_time) <= 5)
        #expect(abs((pace.number("movingPace") ?? 0) - 0.4087) < 0.0005)
        #expect(abs(elapsedPace - 0.5145) < 0.0005)
        #expect(abs((pace.number("distance") ?? 0) / totals.total_distance - 1) < 0.005)
        #expect(abs(figures.distance / totals.total_distance - 1) < 0.005)
        #expect(figures.segments.allSatisfy { ($0.number("coverage") ?? 0) > 0.9 })
        #expect(pace.text("state") == "paused")
    }

    @Test("An ascent of 732 m is one segment, and the first hill", .recordings(in: "second-half/runs"))
    func uphill() throws {
        let figures = RunFigures(try RecordedRun(named: "uphill_732m"))
        let segment = try #require(figures.segments.first)
        row("segment", "uphill_732m", "segments", "\(figures.segments.count)", goal: "1")
        row("segment", "uphill_732m", "net climb, m", number(segment.number("netClimb")), goal: "732")
        #expect(figures.segments.count == 1)
        #expect(abs((segment.number("netClimb") ?? 0) - 732) <= 6)
        #expect(segment.text("hill") == "up")
        #expect(agrees(figures.altitude?.number("ascent"), 732))
        #expect(agrees(figures.altitude?.number("descent"), 0))
        #expect(figures.hills.count == 1)
        #expect(figures.hills.first?.text("segment") == segment.text("id"))
        #expect(figures.hills.first?.flag("isFirst") == true)
    }

    @Test(
        "Ascent and descent are within 8 % or 6 m of the watch's", .recordings(in: "second-half/runs"),
        arguments: ["cycling_garmin_edge_500_activity", "uphill_732m"])
    func climb(name: String) throws {
        let figures = RunFigures(try RecordedRun(named: name))
        let totals = try RecordedRun.totals(of: name)
        let (ascent, descent) = (figures.altitude?.number("ascent"), figures.altitude?.number("descent"))
        row(
            "altitude", name, "ascent and descent, m", "\(number(ascent)) and \(number(descent))",
            goal: "\(number(totals.total_ascent, 0)) and \(number(totals.total_descent, 0))")
        #expect(agrees(ascent, totals.total_ascent))
        #expect(agrees(descent, totals.total_descent))
    }

    @Test("A run without pauses moves all the time", .recordings(in: "second-half/runs"))
    func road() throws {
        let figures = RunFigures(try RecordedRun(named: "road_9km"))
        let totals = try RecordedRun.totals(of: "road_9km")
        row("segment", "road_9km", "segments", "\(figures.segments.count)", goal: "1")
        row("pace", "road_9km", "moving time, s", number(figures.movingTime), goal: number(totals.total_timer_time))
        row("pace", "road_9km", "distance, m", number(figures.distance), goal: number(totals.total_distance))
        #expect(figures.segments.count == 1)
        #expect(abs(figures.movingTime - totals.total_timer_time) <= 5)
        #expect(abs(figures.distance / totals.total_distance - 1) < 0.005)
    }

    /// A staircase of 22.7 m, climbed and descended eleven times in 70 s each, at a barometer's noise, while the weather changes by
    /// 0.8 hPa an hour and a door slams now and then.
    @Test("A simulated staircase is found in each of 22 rides")
    func staircase() throws {
        var random = SeededGenerator(seed: 5)
        var device = TestDevice("stairs")
        var harness = PipelineHarness()
        var sums: [Double] = []
        for second in 0..<(22 * 100) {
            let (ride, phase) = (second / 100, Double(second % 100))
            let part = min(1, max(0, (phase - 15) / 70))
            let height = 22.7 * (ride.isMultiple(of: 2) ? part : 1 - part) + 6.7 * Double(second) / 3_600
            let slam = second % 400 == 205 ? 12.0 : 0
            let noise = Double.random(in: -0.25...0.25, using: &random)
            let pressure = 101.325 * pow(1 - (height + noise + slam) / 44_330.77, 1 / 0.190263)
            let uptime = 100 + Double(second)
            let messages = harness.send(
                device.frame("altimeter", uptime: uptime, #""samples":{"timestamp":[\#(uptime)],"pressure":[\#(pressure)]}"#))
            guard second % 100 == 99, let last = messages.last(where: { $0.kind == "altitude" }) else { continue }
            sums.append((last.number("ascent") ?? 0) + (last.number("descent") ?? 0))
        }
        let rides = zip(sums, [0] + sums).map { $0 - $1 }.sorted()
        let median = (rides[10] + rides[11]) / 2
        let stairs = "simulated staircase of 22.7 m, 22 times"
        row("altitude", stairs, "median of a ride, m", number(median, 2), goal: "22.7", people: nil)
        row("altitude", stairs, "greatest less least, m", number(rides[21] - rides[0], 2), goal: "< 1", people: nil)
        #expect(rides.count == 22)
        #expect(abs(median - 22.7) <= 0.7)
        #expect(rides[21] - rides[0] < 1)
    }

    /// A run of known parts: three stretches of 100 s at 3 m/s and 2.7 steps/s, 20 s pauses, the second stretch 20 m up.
    @Test("A simulated run gives its own figures")
    func simulated() throws {
        var rows: [RecordedRun.Row] = []
        var (distance, altitude) = (0.0, 50.0)
        for second in 0...340 {
            let stretch = second / 120
            let isMoving = second % 120 < 100
            rows.append(.init(time: Double(second), distance: distance, cadence: isMoving ? 162 : 0, altitude: altitude))
            if isMoving {
                distance += 3
                if stretch == 1 { altitude += 0.2 }
            }
        }
        let marks =
            [100.0, 220, 340].map { RecordedRun.Mark(time: $0, isPause: true) }
            + [120.0, 240].map { RecordedRun.Mark(time: $0, isPause: false) }
        let figures = RunFigures(RecordedRun("simulated", rows: rows, marks: marks.sorted { $0.time < $1.time }))
        row("segment", "simulated run", "segments", "\(figures.segments.count)", goal: "3", people: nil)
        row("pace", "simulated run", "moving time, s", number(figures.movingTime), goal: "300", people: nil)
        #expect(figures.segments.compactMap { $0.number("duration") } == [100, 100, 100])
        for segment in figures.segments {
            #expect(abs((segment.number("distance") ?? 0) - 300) <= 3)
            #expect(abs((segment.number("averagePace") ?? 0) - 1.0 / 3) < 0.005)
        }
        #expect(figures.segments.map { $0.text("hill") } == [nil, "up", nil])
        #expect(abs((figures.segments[1].number("netClimb") ?? 0) - 20) < 0.7)
        // 20 m on 300 m: Minetti's cost of a grade of 0.067 is 5.09 J for each kg and metre.
        #expect(abs((figures.segments[1].number("gradeAdjustedPace") ?? 0) - 3.6 / 5.09 / 3) < 0.01)
        #expect(figures.hills.count == 1)
        #expect(abs((figures.pace?.number("movingPace") ?? 0) - 300.0 / 900) < 0.001)
        #expect(abs((figures.altitude?.number("ascent") ?? 0) - 20) < 0.5)
    }
}
