import JSONText
@testable import RecordingImport
@testable import TelemetryModel
import Testing

@Suite("Text of exports")
struct TextTests {
    private func lines(_ text: String, chunk: Int) throws -> [String] {
        let bytes = Array(text.utf8)
        var position = 0
        var scanner = LineScanner { () throws(ImportProblem) in
            defer { position = min(bytes.count, position + chunk) }
            return Array(bytes[position..<min(bytes.count, position + chunk)])
        }
        var lines: [String] = []
        while let line = try scanner.next() { lines.append(String(decoding: line, as: UTF8.self)) }
        return lines
    }

    @Test("is cut into the same lines whatever the pieces it comes in", arguments: [1, 2, 3, 7, 100])
    func pieces(chunk: Int) throws {
        #expect(try lines("one\r\n\ntwo\nthree", chunk: chunk) == ["one", "", "two", "three"])
        #expect(try lines("", chunk: chunk) == [])
        #expect(try lines("\n", chunk: chunk) == [""])
    }

    @Test("is cut where a line is longer than any row", arguments: [4096, 1 << 17, 1 << 20])
    func longLine(chunk: Int) throws {
        let long = String(repeating: "x", count: 300_000)
        let found = try lines("a\n\(long)\nb\n", chunk: chunk)
        #expect(found.map(\.utf8.count) == [1, LineScanner.maximumBytes, 1])
        #expect(found.last == "b")
    }

    @Test("splits outside quotes, and detects a quote that is left open")
    func cells() {
        let row = Row(line: 1, bytes: Array(#" a ,"b, ""c""",,"d" "#.utf8), separator: UInt8(ascii: ","))
        #expect(row.cells?.indices.map { row.text($0) } == ["a", #"b, "c""#, "", "d"])
        #expect(row.text(9) == "")
        #expect(Row(line: 1, bytes: Array(#"a,"b"#.utf8), separator: UInt8(ascii: ",")).cells == nil)
    }

    @Test("holds numbers in plain decimals alone")
    func numbers() {
        for (text, value) in [("1", 1), ("-2.5e-1", -0.25), ("+3", 3), (".5", 0.5)] {
            #expect(Row.decimal(text, allowsComma: false) == value)
        }
        for text in ["nan", "inf", "0x1p3", "1e999", "", "1 2", "--1", "1,5", "１"] {
            #expect(Row.decimal(text, allowsComma: false) == nil, "\(text)")
        }
        #expect(Row.decimal("1,5", allowsComma: true) == 1.5)
        #expect(Row.decimal("1.000,5", allowsComma: true) == nil)
    }

    @Test("holds dates of the two kinds that SensorLog writes")
    func dates() {
        let read = { (text: String) in try? CalendarTime.read(text) }
        #expect(read("2023-06-05T23:37:35.646+09:00")?.seconds == 1_685_975_855.646)
        #expect(read("2021-04-08 19:16:16.750 +0100")?.seconds == 1_617_905_776.75)
        #expect(read("1970-01-01T00:00Z") == CalendarTime.Reading(seconds: 0, hasZone: true, isISO8601: true))
        #expect(read("2000-02-29 00:00:00") == CalendarTime.Reading(seconds: 951_782_400, hasZone: false, isISO8601: true))
        let wrong = ["", "2021", "12", "2021-13-01 00:00:00", "2021-01-01 24:00:00", "2021-01-01 00:00:00 CET"]
        for text in wrong + ["2021-01-01 00:00:00 +", "2021-02-29 00:00:00", "1-1-2021", "1/32/2021 0:00"] {
            #expect(read(text) == nil, "\(text)")
        }
    }

    @Test("writes decimals without zeros at their end")
    func json() {
        var json = JSONWriter()
        json.array { json in
            for micros: Int64 in [0, 5, -5, 1_500_000, 1_000_000, 10, -12_345_678] { json.fixed(nil, micros, decimals: 6) }
        }
        #expect(String(decoding: json.bytes, as: UTF8.self) == "[0,0.000005,-0.000005,1.5,1,0.00001,-12.345678]")
    }

    @Test("names device ids that cannot stand in a topic", arguments: ["", "a/b", "ä", "+", String(repeating: "a", count: 59)])
    func deviceIDs(id: String) {
        #expect(throws: ImportProblem.self) { try ImportRequest(format: .sensorLogger, paths: [], device: id) }
    }

    @Test("never reaches a terminal with its control characters")
    func printable() {
        #expect("\(ImportProblem("r", file: "a\u{1B}[2J", line: 3, column: "c\n"))" == "a?[2J:3: column \"c?\": r")
        #expect("\(ImportProblem("r", column: "\u{9B}m\u{202E}\u{2028}"))" == "column \"?m??\": r")
        #expect(ImportProblem.quoted("a" + String(repeating: "\u{301}", count: 30_000)).utf8.count < 100)
    }

    @Test("of two quotes in a cell one is left out, whatever attaches itself to them", arguments: ["", "\u{301}", "\u{200D}"])
    func quotes(mark: String) {
        let row = Row(line: 1, bytes: Array("\"a\"\"\(mark),\"\"\"\"\(mark)\",b".utf8), separator: UInt8(ascii: ","))
        #expect(Array(row.text(0).utf8) == Array("a\"\(mark),\"\"\(mark)".utf8))
        #expect(row.text(1) == "b")
    }
}
