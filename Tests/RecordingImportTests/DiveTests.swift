import Foundation
import RecordingImport
import Testing

@Suite("Import of dive logs")
struct DiveTests {
    private func value(_ quantity: Any?) -> String {
        guard let quantity = quantity as? [String: Any], let value = quantity["value"] as? Double else { return "none" }
        return "\(value) \(quantity["unit"] as? String ?? "?")"
    }

    @Test("finds columns by their names, and lets the gateway convert units")
    func names() throws {
        let text = """
            unix_s,depth_ft,water_temp_k,abs_pressure_pa,surface_pressure_pa,comment
            1697843618,,,,101252.4,start
            1697843619.5,4.5,,,,
            1697843620.25,,302.39,135553,,"quoted, with a comma"
            """
        let result = try imported(.dive, text: text)
        #expect(result.report.isClean, "\(result.notes)")
        #expect(result.measurements.map { value($0["depth"]) } == ["4.5 ft", "none"])
        #expect(result.measurements.map { value($0["pressure"]) } == ["none", "135553.0 Pa"])
        #expect(result.measurements.map { value($0["surfacePressure"]) } == ["101252.4 Pa", "101252.4 Pa"])
        #expect(result.measurements.map { $0["timestamp"] as? Double } == [1.5, 2.25])
        let temperatures = result.payloads("submersion").flatMap { $0["temperatures"] as? [[String: Any]] ?? [] }
        #expect(temperatures.map { value($0["temperature"]) } == ["302.39 K"])
        #expect(result.payloads("submersion").first?["sent"] as? Double == 1_697_843_620.25)
        #expect(result.payloads("status").first?["entitlements"] == nil)
        #expect(result.report.files.first?.blank == 1)
    }

    @Test("goes by --columns with units, separators and decimals as Europeans write them")
    func mapping() throws {
        let text = "Logbook;of;mine\n# made by hand\nTiefe;Zeit;Temp\n1,5;0;20,5\n\"2,25\";1;\n"
        let result = try imported(.dive, text: text) {
            $0.diveColumns = try DiveColumn.list("time=Zeit:s,depth=Tiefe:m,temperature=Temp:C")
            $0.start = 1_697_843_618
        }
        #expect(result.measurements.map { value($0["depth"]) } == ["1.5 m", "2.25 m"])
        #expect(result.lines.last?["at"] as? Double == 1_697_843_619)
    }

    @Test("takes names of columns that hold commas")
    func commas() throws {
        let header = ##""#","Date Time, GMT+02:00","Depth, m (LGR S/N: 1)""##
        let result = try imported(.dive, text: header + "\n1,2026-01-01 10:00:00,2\n2,2026-01-01 10:00:10,3\n") {
            $0.diveColumns = try DiveColumn.list("time=Date Time, GMT+02:00:iso,depth=Depth, m (LGR S/N: 1):m")
        }
        #expect(result.measurements.map { value($0["depth"]) } == ["2.0 m", "3.0 m"], "\(result.notes)")
    }

    @Test("reads times in the zone that their column names, unless another is said")
    func zoneOfColumn() throws {
        for (header, row) in [
            ("\"Date Time, GMT-03:30\"", "2026-01-01 10:00:00"), ("Date,\"Time, GMT-03:30\"", "2026-01-01,10:00:00"),
        ] {
            let text = "\(header),depth_m\n\(row),3\n"
            let result = try imported(.dive, text: text)
            #expect(result.lines.last?["at"] as? Double == 1_767_274_200, "\(result.notes)")
            #expect(result.has("are read as -03:30"))
            let said = try imported(.dive, text: text) { $0.times.zone = LocalZone("+01:00") }
            #expect(said.lines.last?["at"] as? Double == 1_767_258_000)
        }
    }

    @Test("reads dates with and without a zone")
    func dates() throws {
        let zoned = try imported(.dive, text: "time,depth[m]\n2023-06-05T23:37:35.5+09:00,1\n2023-06-05T23:37:36.5+09:00,2\n") {
            $0.isOpenEnd = true
        }
        #expect(zoned.lines.last?["at"] as? Double == 1_685_975_856.5)
        #expect(zoned.notes.isEmpty)
        let local = try imported(.dive, text: "date,depth_m\n2023-06-05 23:37:35,1\n")
        #expect(local.has("are read as UTC"))
    }

    @Test("takes a log without times, its settings, its comments and its rows that are none")
    func noTimes() throws {
        let text = "/* A log\n * 1;2\n */\n//Interval: 2 s\n\nDepth;Temperature\n1;1\n0;1\n\n1.2;25\n1.5;\n"
        let result = try imported(.dive, text: text) {
            $0.diveColumns = try DiveColumn.list("depth=Depth:m")
            ($0.interval, $0.skippedRows) = (2, 2)
        }
        #expect(result.measurements.map { $0["timestamp"] as? Double } == [1, 3])
        #expect(result.measurements.map { value($0["depth"]) } == ["1.2 m", "1.5 m"])
        #expect(result.has("the log has no date; say --start"))
        #expect(result.payloads("submersion").first?["sent"] == nil)
    }

    @Test("says that an interval replaces the times that a log has")
    func intervalForTimes() throws {
        let text = "time (s),depth_m\n0,1\n10,2\n"
        let result = try imported(.dive, text: text) { $0.interval = 1 }
        #expect(result.measurements.map { $0["timestamp"] as? Double } == [1, 2])
        #expect(result.has("is not read: the times are those of --interval"), "\(result.notes)")
        #expect(try !imported(.dive, text: text).has("--interval"))
    }

    @Test("a row of separators alone takes its place in a log without times, whatever they are", arguments: [",", ";", "\t"])
    func blankPlaces(separator: String) throws {
        let rows = [["depth_m", "water_temp_c"], ["1", "20"], ["", ""], ["3", "20"]].map { $0.joined(separator: separator) }
        let result = try imported(.dive, text: rows.joined(separator: "\n") + "\n") { $0.interval = 1 }
        #expect(result.measurements.map { $0["timestamp"] as? Double } == [1, 3])
        #expect(result.report.files.first?.blank == 1 && result.report.isClean, "\(result.notes)")
    }

    @Test("a row that cannot be read at all takes its place in a log without times")
    func places() throws {
        let result = try imported(.dive, text: "depth_m\n1\n\"2\n3\n") { $0.interval = 1 }
        let times = result.measurements.compactMap { $0["timestamp"] as? Double }
        #expect(times.count == 2 && (times.last ?? 0) - (times.first ?? 0) == 2)
    }

    @Test("reports and drops bad rows, and continues")
    func badRows() throws {
        let ends = ["100,1", "101,deep", "102,inf", "103,0x10", "104,1e999", "099,1", "105,2"].map { "1700000\($0)" }
        let rows = ["unix_s,depth_m"] + ends[..<6] + ["4e9,5"] + ends[6...] + [",3"]
        let result = try imported(.dive, text: rows.joined(separator: "\n"))
        #expect(result.measurements.map { value($0["depth"]) } == ["1.0 m", "1.0 m", "2.0 m"])
        #expect(result.report.files.first?.bad == 6)
        #expect(result.report.files.first?.dropped["far ahead in time"] == 1)
    }

    @Test(
        "reports what is missing, and the option for it",
        arguments: [
            ("unix_s,Depth\n1,2\n", "--columns depth=Depth:UNIT with one of cm, fathom, ft, m"),
            ("depth_m\n2\n", "no column for time (or --interval SECONDS); the header has \"depth_m\""),
            ("unix_s,speed\n1,2\n", "no column for depth or pressure"),
            ("time,depth_m\n12,2\n", "say its unit: --columns time=time:unix_s"),
            ("unix_s,depth_m,depth_ft\n1,2,3\n", "could both be the depth"),
            ("unix_s,depth_m\n", "no row holds a depth"),
            ("unix_s,depth_m\n-5,1\n", "before the earliest time"),
        ])
    func refused(text: String, message: String) throws {
        let result = try imported(.dive, text: text)
        #expect(result.has(message), "\(result.notes)")
        #expect(!result.report.isClean)
    }

    @Test(
        "refuses a mapping that is none",
        arguments: ["time", "time=", "hour=x", "time=a,time=b", "depth=d:furlong", "", "depth=:m"])
    func mappingErrors(list: String) {
        #expect(throws: ImportProblem.self) { try DiveColumn.list(list) }
    }

    @Test("merges several logs by time, each as a boot of its own")
    func several() throws {
        let exports = try Exports(["b.csv": "unix_s,depth_m\n1.7e9,1\n", "a.csv": "unix_s,depth_m\n1.8e9,2\n", "c.csv": "x\n"])
        let result = try imported(.dive, ["a", "b", "c", "d"].map { "\(exports.path)/\($0).csv" }) { $0.isOpenEnd = true }
        #expect(result.lines.compactMap { $0["at"] as? Double } == [1.7e9, 1.7e9, 1.8e9, 1.8e9])
        #expect(Set(result.payloads("status").compactMap { $0["boot"] as? String }).count == 2)
        #expect(result.report.problems == 2)
        #expect(result.has("d.csv: No such file or directory"))
    }
}
