import Foundation
@testable import RecordingImport
@testable import TelemetryModel
import Testing

@Suite("Times of exports")
struct TimeTests {
    private func seconds(_ text: String, _ order: DateOrder? = nil) throws -> Double {
        try CalendarTime.read(text, order: order).seconds
    }

    @Test(arguments: [
        "2026-04-03 14:05:09", "2026-04-03T14:05:09Z", "20260403T140509Z", "2026/04/03 14:05:09", "2026-4-3 14:05:09",
        "3.4.2026 14:05:09", "03.04.26 14:05:09", "2026-04-03 2:05:09 PM", "2026-04-03, 2:05:09 p.m.", "2026-04-03T16:05:09+02",
        "2026-04-03 14:05:09 UTC", "2026-04-03 07:05:09 -0700",
    ])
    func `A date and time is read in the notations of the field`(text: String) throws {
        #expect(try seconds(text) == 1_775_225_109)
    }

    @Test func `What is later than a recording can hold is left out and reported`() throws {
        let times = ["2099-12-31T23:59:50Z", "2099-12-31T23:59:59Z", "2100-01-01T00:00:01Z"]
        let result = try imported(.dive, text: "time,depth_m\n" + times.map { "\($0),2\n" }.joined())
        #expect(result.report.problems == 1 && result.has("times after 2100"), "\(result.notes)")
        #expect(result.lines.count == 3 && result.lines.allSatisfy { $0["at"] as? Double ?? .infinity <= 4_102_444_800 })
    }

    @Test func `Day and month are told apart by a number above 12 or by the option`() throws {
        #expect(
            try CalendarTime.read("13/4/2026 0:00")
                == .init(seconds: 1_776_038_400, hasZone: false, order: .dayFirst, isISO8601: false))
        #expect(
            try CalendarTime.read("4/13/2026 0:00")
                == .init(seconds: 1_776_038_400, hasZone: false, order: .monthFirst, isISO8601: false))
        #expect(throws: CalendarTime.Failure.ambiguous) { try CalendarTime.read("3/4/2026 0:00") }
        #expect(try seconds("3/4/2026 0:00", .dayFirst) - seconds("3/4/2026 0:00", .monthFirst) == 30 * 86_400)
        #expect(try seconds("4/4/2026 0:00") == seconds("2026-04-04 0:00"))
    }

    @Test(arguments: [("0:10", 10.0), ("75:01", 4501), ("1:02:03", 3723), ("0:00.5", 0.5), ("1:00:00,25", 3600.25)])
    func `Minutes and hours since the start`(text: String, expected: Double) {
        #expect(CalendarTime.elapsed(text) == expected)
    }

    @Test(arguments: ["0:60", "1:-1", "-0:10", ":10", "1:", "1:2:3:4", "1.5:00", "1:60:00", "1e3:00:00:00", "10"])
    func `What is no such time`(text: String) { #expect(CalendarTime.elapsed(text) == nil) }

    @Test func `A zone has summer time, and of a repeated hour both`() throws {
        let zone = try #require(LocalZone("Europe/Berlin"))
        let read = { (text: String, last: Double?) in zone.seconds(ofLocal: try seconds(text), after: last) }
        #expect(try read("2026-01-01 10:00:00", nil) == seconds("2026-01-01 09:00:00"))
        #expect(try read("2026-07-01 10:00:00", nil) == seconds("2026-07-01 08:00:00"))
        let first = try read("2026-10-25 02:30:00", nil)
        #expect(try first == seconds("2026-10-25 00:30:00"))
        #expect(try read("2026-10-25 02:29:00", first) == first - 60)
        let last = try read("2026-10-25 02:59:59", first)
        #expect(try read("2026-10-25 02:00:00", last) == last + 1)
        // The hour that is left out in spring.
        #expect(try read("2026-03-29 02:30:00", nil) == seconds("2026-03-29 01:30:00"))
        #expect(try #require(LocalZone("-03:30")).seconds(ofLocal: 0, after: nil) == 12_600)
    }

    @Test(arguments: ["", "CEST", "Europe/Nowhere", "+25:00", "+2", "local"])
    func `What is no zone`(name: String) { #expect(LocalZone(name) == nil) }

    private func times(_ text: String, _ change: (inout ImportRequest) throws -> Void = { _ in }) throws -> [Double] {
        let result = try imported(.dive, text: text) {
            $0.isOpenEnd = true
            try change(&$0)
        }
        return result.payloads("submersion").flatMap { payload -> [Double] in
            let offset = (payload["sent"] as? Double ?? 0) - (payload["uptime"] as? Double ?? 0)
            let measurements = payload["measurements"] as? [[String: Any]] ?? []
            return measurements.compactMap { $0["timestamp"] as? Double }.map { (($0 + offset) * 1e3).rounded() / 1e3 }
        }
    }

    @Test(arguments: [
        ("time (min),depth (m)\n0:00,1\n0:10,2\n1:10,3\n", [0, 10, 70]),
        ("time (min),depth (m)\n0,1\n0.5,2\n2,3\n", [0, 30, 120]),
        ("time (ms),depth (m)\n0,1\n10,2\n", [0, 0.01]), ("elapsed (h:mm:ss),depth (m)\n0:00:01,1\n1:00:01,2\n", [1, 3601]),
        ("seconds,depth (m)\n0:01,1\n0:02,2\n", [1, 2]), ("minutes,depth (m)\n1,1\n2,2\n", [60, 120]),
    ])
    func `A log has minutes, milliseconds or m:ss since its start`(text: String, expected: [Double]) throws {
        #expect(try times(text) { $0.start = 1_767_261_600 } == expected.map { 1_767_261_600 + $0 })
    }

    @Test func `Date and time of day may stand in two columns, with AM and PM, in a zone`() throws {
        let text = "Date;Time;Depth (m)\n13/01/2026;11:59:58 AM;1\n13/01/2026;12:00:00 PM;2\n"
        #expect(try times(text) == [1_768_305_598, 1_768_305_600])
        #expect(try times(text) { $0.times.zone = LocalZone("Europe/Berlin") } == [1_768_301_998, 1_768_302_000])
        let zoned = try imported(.dive, text: text) { $0.times.zone = LocalZone("Europe/Berlin") }
        #expect(zoned.has("name no zone and are read as Europe/Berlin"))
        #expect(try imported(.dive, text: text).has("are read as UTC; say --zone NAME"))
    }

    @Test func `A date with two meanings is refused until the order is said or another row shows it`() throws {
        let text = "time,depth (m)\n03/04/2026 10:00:00,1\n03/04/2026 10:00:10,2\n"
        let refused = try imported(.dive, text: text)
        #expect(refused.has("has two meanings; say --date-order dmy (day first) or mdy (month first)"))
        #expect(refused.lines.isEmpty)
        #expect(try times(text) { $0.times.dateOrder = .dayFirst }.first == 1_775_210_400)
        #expect(try times(text) { $0.times.dateOrder = .monthFirst }.first == 1_772_618_400)
        // The second row shows that the day is first, and the first is read by it.
        let shown = "time,depth (m)\n12/04/2026 23:59:59,1\n13/04/2026 00:00:01,2\n"
        #expect(try times(shown) == [1_776_038_399, 1_776_038_401])
    }

    @Test func `The start that is said holds for logs with dates, too`() throws {
        let text = "time,depth (m)\n2020-01-01 10:00:00,1\n2020-01-01 10:00:10,2\n"
        #expect(try times(text) { $0.start = 1_767_261_600 } == [1_767_261_600, 1_767_261_610])
        #expect(try imported(.dive, text: text) { $0.start = 1_767_261_600 }.has("its first row is at --start"))
        let phone = try Exports([
            "WristMotion.csv": Motion.sensorLogger(Motion.series(10, every: 0.02)),
            "Headphone.csv": Motion.sensorLogger(Motion.series(10, every: 0.02), start: 1_783_160_373_379_516_160),
        ])
        let moved = try imported(.sensorLogger, [phone.path]) { $0.start = 1_767_261_600 }
        let starts = ["device-motion", "headphone-motion"].map { stream in
            moved.payloads(stream).first.map { ($0["sent"] as? Double ?? 0) - 0.18 } ?? 0
        }
        #expect(abs(starts[0] - 1_767_261_600) < 1e-3 && abs(starts[1] - 1_767_261_602) < 1e-3, "\(starts)")
    }

    @Test func `A time of day without a date says what to do`() throws {
        let result = try imported(.dive, text: "time,depth (m)\n0:10,1\n0:20,2\n")
        #expect(result.has("for minutes and seconds since the start say --columns time=time:min"))
    }
}
