import Foundation
import GatewayTestSupport
import RecordingImport
import TelemetryModel
import Testing

@Suite("Import of dive logs of several dives")
struct DiveLogTests {
    private let dives = [
        WrittenDive(
            start: 1_767_258_000, samples: [(10, 1.5, 18), (20, 3.2, nil), (30, 5.04, nil), (60, 9.4, 17), (70, 0, nil)]),
        WrittenDive(start: 1_767_265_200, samples: [(0, 2, 19), (10, 4, nil), (25, 0.4, nil)]),
    ]

    @Test("reads every dive with its depths, temperatures and times", arguments: DiveWriter.allCases)
    func writers(writer: DiveWriter) throws {
        let count = writer.holdsSeveral ? 2 : 1
        let result = try imported(.dive, text: writer.text(Array(dives[..<count])))
        #expect(result.report.isClean, "\(result.notes)")
        #expect(result.boots.count == count)
        for (dive, boot) in zip(dives, result.boots) {
            let read = result.readings(of: boot)
            #expect(read.map(\.at) == dive.samples.map { dive.start + $0.time })
            for (sample, reading) in zip(dive.samples, read) {
                #expect(abs(try #require(reading.metres) - sample.depth) < 0.0051)
                // A computer that writes degrees always repeats the last.
                if let celsius = sample.celsius { #expect(abs(try #require(reading.celsius) - celsius) < 0.051) }
            }
        }
        #expect(result.report.files.map(\.rows) == [dives[..<count].map(\.samples.count).reduce(0, +)])
    }

    @Test("of the same content is the same boot, of each dive another")
    func boots() throws {
        let text = DiveWriter.uddf.text(dives)
        let (first, second) = (try imported(.dive, text: text), try imported(.dive, text: text))
        #expect(first.text == second.text)
        #expect(Set(first.boots).count == 2)
    }

    @Test("keeps what is before the end of a file that is cut short", arguments: DiveWriter.allCases.filter(\.isXML))
    func truncated(writer: DiveWriter) throws {
        let text = writer.text([dives[0]])
        let cut = try #require(text.range(of: "9.4")?.lowerBound)
        let result = try imported(.dive, text: String(text[..<cut]))
        #expect(result.has("the XML ends too early"), "\(result.notes)")
        #expect(result.report.problems == 1)
        #expect(result.boots.count == 1)
        #expect(result.boots.flatMap(result.readings).compactMap(\.metres) == [1.5, 3.2, 5.04])
    }

    @Test("reads UTF-16 and Latin-1", arguments: [(String.Encoding.utf16, "UTF-16"), (.isoLatin1, "ISO-8859-1")])
    func encodings(encoding: String.Encoding, name: String) throws {
        let text = DiveWriter.uddf.text(dives).replacing("encoding='utf-8'", with: "encoding='\(name)'").replacing(
            "made up", with: "Höhle")
        let exports = try Exports()
        let path = try exports.write(try #require(text.data(using: encoding)), to: "log.txt")
        let result = try imported(.dive, [path])
        #expect(result.report.isClean, "\(result.notes)")
        #expect(result.boots.count == 2)
    }

    @Test("sorts the samples of a dive, and leaves out one that is no number")
    func order() throws {
        let text = """
            <divelog><dives><dive number='1' date='2026-01-01' time='09:00:00'><divecomputer model='x'><surface pressure='1.013 bar'/>
            <sample time='0:20 min' depth='3.2 m' temp='nan'/>
            <sample time='0:10 min' depth='1.5 m'/>
            <sample time='0:30 min' depth='deep' temperature='18 C'/>
            <sample time='1:75 min' depth='4 m'/>
            <sample depth='4 m'/>
            <sample time='0:40 min'/>
            <event time='0:20 min' name='gaschange'/>
            </divecomputer></dive></dives></divelog>
            """
        let result = try imported(.dive, text: text)
        let read = result.boots.flatMap(result.readings)
        #expect(read.map(\.at) == [10, 20, 30].map { 1_767_258_000 + $0 })
        #expect(read.map(\.metres) == [1.5, 3.2, nil])
        #expect(read.last?.celsius == 18)
        #expect(result.has("log.csv:4: \"deep\" is no depth, and is left out"), "\(result.notes)")
        #expect(result.has("log.csv:5: \"1:75 min\" is no time"))
        #expect(result.has("1 events are left out"))
        #expect(result.report.files.first?.dropped["without a time"] == 2)
        #expect(result.report.files.first?.blank == 1)
        #expect(result.payloads("submersion").description.contains("surfacePressure"))
    }

    @Test("takes the first computer of a dive, and no dive that was planned or written by hand")
    func computers() throws {
        let sample = "<sample time='0:10 min' depth='2 m'/>"
        let text = """
            <divelog><dives><trip>
            <dive date='2026-01-01' time='09:00:00'><divecomputer model='a'>\(sample)</divecomputer>
            <divecomputer model='b'><sample time='0:10 min' depth='9 m'/></divecomputer></dive>
            <dive date='2026-01-02' time='09:00:00'><divecomputer model='planned dive'>\(sample)</divecomputer></dive>
            <dive date='2026-01-03' time='09:00:00'><divecomputer model='manually added dive'>\(sample)</divecomputer>
            <divecomputer model='c' date='2026-01-03' time='09:00:05'><sample time='0:00 min' depth='10 ft'/></divecomputer></dive>
            </trip></dives></divelog>
            """
        let result = try imported(.dive, text: text)
        let read = result.boots.flatMap(result.readings)
        #expect(read.compactMap(\.metres) == [2, 3.048])
        #expect(read.map(\.at) == [1_767_258_010, 1_767_430_805])
        #expect(result.has("1 profiles of a second dive computer are left out"))
        #expect(result.has("2 dives that no computer recorded are left out"))
    }

    @Test("leaves out a dive that begins before another ends, and one without a date beside others")
    func overlaps() throws {
        let other = WrittenDive(start: dives[0].start + 65, samples: [(0, 3, nil), (10, 4, nil)])
        var text = DiveWriter.subsurface.text([dives[0], other, dives[1]])
        let overlapping = try imported(.dive, text: text)
        #expect(overlapping.has("number 2, is left out: it begins before that on line"), "\(overlapping.notes)")
        #expect(overlapping.boots.count == 2 && overlapping.report.problems == 1)
        text = text.replacing("date='2026-01-01' time='11:00:00'", with: "date='yesterday' time=''")
        #expect(try imported(.dive, text: text).has("number 3, is left out: the date \"yesterday \" cannot be read"))
    }

    @Test("of one dive without a date takes --start")
    func undated() throws {
        let text = DiveWriter.uddf.text([dives[0]]).replacing("2026-01-01T09:00:00Z", with: "4/5/2026 9:00")
        let bare = try imported(.dive, text: text)
        #expect(bare.has("the date \"4/5/2026 9:00\" has two meanings; say --date-order"), "\(bare.notes)")
        #expect(bare.payloads("submersion").first?["sent"] == nil && bare.report.problems == 1)
        let dated = try imported(.dive, text: text) { $0.start = 1_700_000_000 }
        #expect(dated.boots.flatMap(dated.readings).first?.at == 1_700_000_010)
        #expect(
            try imported(.dive, text: DiveWriter.uddf.text(dives)) { $0.start = 1_700_000_000 }.has(
                "dates one dive, and the file has 2"))
    }

    @Test("reads Subsurface's table as the program writes it, in two forms of --columns")
    func subsurfaceTable() throws {
        let text = """
            "dive number","date","time","sample time (min)","sample depth (ft)","sample temperature (F)","sample pressure (bar)"
            "1","2026-01-01","09:00:00","0:10","10","64.4","203.0"
            "2","2026-01-01","11:00:00","1:00:10","2","",""
            "1","2026-01-01","09:00:00","0:20","20","","202.1"
            "1","2026-01-01","09:00:00","0:01","0.0","",""

            """
        for columns in ["", "time=sample time (min):s,depth=sample depth:m"] {
            let result = try imported(.dive, text: text) { if !columns.isEmpty { $0.diveColumns = try DiveColumn.list(columns) } }
            let read = result.boots.flatMap(result.readings)
            #expect(read.map(\.at) == [1_767_258_010, 1_767_258_020, 1_767_268_810])
            #expect(zip(read.compactMap(\.metres), [3.048, 6.096, 0.6096]).allSatisfy { abs($0 - $1) < 1e-9 })
            #expect(read.first?.celsius.map { abs($0 - 18) < 1e-9 } ?? false)
            #expect(result.has("the last sample of dive 1 is at a time before its first"), "\(result.notes)")
        }
    }

    @Test("reads what Shearwater's versions write: milliseconds, feet, absolute pressures, dates of two kinds")
    func shearwater() throws {
        func file(_ imperial: String, _ date: String, _ records: [(String, String, String)]) -> String {
            "<dive version='1'><diveLog><startDate>\(date)</startDate><diveLogRecords>"
                + records.map {
                    "<diveLogRecord><currentTime>\($0)</currentTime><currentDepth>\($1)</currentDepth><waterTemp>\($2)</waterTemp></diveLogRecord>"
                }.joined()
                + "</diveLogRecords><imperialUnits>\(imperial)</imperialUnits><startSurfacePressure>1013</startSurfacePressure>"
                + "</diveLog></dive>"
        }
        let feet = try imported(
            .dive, text: file("true", "Thu Jan 1 09:00:00 2026 UTC", [("0", "10", "64.4"), ("2000", "20", "64.4")]))
        #expect(feet.boots.flatMap(feet.readings).map(\.at) == [1_767_258_000, 1_767_258_002])
        #expect(feet.payloads("submersion").description.contains("ft"))
        #expect(feet.boots.flatMap(feet.readings).first?.celsius.map { abs($0 - 18) < 1e-9 } ?? false)
        let pressure = try imported(
            .dive, text: file("0", "1/13/2026 9:00:00 PM", [("0", "1013", "18"), ("10", "2013", "18")]))
        #expect(pressure.boots.flatMap(pressure.readings).map(\.at) == [1_768_338_000, 1_768_338_010])
        let measurements = pressure.payloads("submersion").flatMap { $0["measurements"] as? [[String: Any]] ?? [] }
        #expect(measurements.compactMap { ($0["pressure"] as? [String: Any])?["value"] as? Double } == [1013, 2013])
        #expect(measurements.allSatisfy { ($0["surfacePressure"] as? [String: Any])?["value"] as? Double == 1013 })
        let bare = file("0", "1/13/2026 9:00:00 PM", [("0", "1013", "18"), ("10", "2013", "18")]).replacing(
            "<startSurfacePressure>1013</startSurfacePressure>", with: "")
        #expect(try imported(.dive, text: bare).has("1 dives without that at the surface: say --surface-pressure 1013hPa"))
        let said = try imported(.dive, text: bare) { $0.surfacePressure = .pascals(100_000) }
        let surfaces = said.payloads("submersion").flatMap { $0["measurements"] as? [[String: Any]] ?? [] }
        #expect(surfaces.compactMap { ($0["surfacePressure"] as? [String: Any])?["value"] as? Double } == [100_000, 100_000])
        #expect(!said.has("no depth follows"), "\(said.notes)")
        let lowest = try imported(.dive, text: bare) { $0.surfacePressure = .lowest }
        let taken = lowest.payloads("submersion").flatMap { $0["measurements"] as? [[String: Any]] ?? [] }
        #expect(taken.compactMap { ($0["surfacePressure"] as? [String: Any])?["value"] as? Double } == [101_300, 101_300])
        #expect(lowest.has("the pressure at the surface is taken as 1013.0 hPa") && !lowest.has("no depth follows"))
        let deep = try imported(.dive, text: bare.replacing("1013", with: "1513")) { $0.surfacePressure = .lowest }
        #expect(deep.has("the lowest pressure is 1513.0 hPa, which is not that of air") && deep.lines.isEmpty)
    }

    @Test("leaves out a row of Shearwater's table with a decimal comma, and reads one that ends with a comma")
    func shearwaterCommas() throws {
        let text = """
            Dive Number,GF Minimum,GF Maximum,Surface Interval (min),Imperial Units,Start Date,Start Surface Pressure,Product
            1,40,85,12,False,2026-01-01 09:00:00,1013,X
            Time (sec),Depth,Water Temp
            0,1.5,18,
            10,12,5,18
            20,2.5,18

            """
        let result = try imported(.dive, text: text)
        #expect(result.boots.flatMap(result.readings).compactMap(\.metres) == [1.5, 2.5])
        #expect(result.has("log.csv:5: 4 cells under a header of 3 columns: one with a comma needs quotes"), "\(result.notes)")
        #expect(result.report.files.map { [$0.rows, $0.bad] } == [[3, 1]] && !result.report.isClean)
    }

    @Test("of Shearwater's log that is cut short keeps the units")
    func unitsOfPart() throws {
        let records = [("0", "10"), ("10000", "20")].map {
            "<diveLogRecord><currentTime>\($0)</currentTime><currentDepth>\($1)</currentDepth></diveLogRecord>"
        }
        let cut = try imported(
            .dive,
            text: "<dive><diveLog><imperialUnits>true</imperialUnits><startDate>2026-01-01 09:00:00</startDate><diveLogRecords>"
                + records.joined() + "<diveLogRecord>")
        #expect(cut.has("the XML ends too early"), "\(cut.notes)")
        let read = cut.boots.flatMap(cut.readings)
        #expect(read.map(\.at) == [1_767_258_000, 1_767_258_010])
        #expect(zip(read.compactMap(\.metres), [3.048, 6.096]).allSatisfy { abs($0 - $1) < 1e-9 } && read.count == 2)
    }

    @Test("does not read entities, neither of the file nor of other files")
    func entities() throws {
        let bomb = (1...9).map { "<!ENTITY e\($0) '\(String(repeating: "&e\($0 - 1);", count: 10))'>" }.joined()
        let text = """
            <!DOCTYPE divelog [<!ENTITY e0 "12345678"><!ENTITY f SYSTEM "file:///etc/hostname">\(bomb)]>
            <divelog><dives><dive date='2026-01-01' time='09:00:00'><sample time='0:10 min' depth='2 m'/>
            <sample time='&e9;' depth='&f;'/><notes>&e9;&f;</notes></dive></dives></divelog>
            """
        let result = try imported(.dive, text: text)
        #expect(result.boots.flatMap(result.readings).compactMap(\.metres) == [2])
        #expect(result.text.count < 2000)
        // Two in attributes, two in a text.
        #expect(result.has("4 characters that XML does not allow"), "\(result.notes)")
    }

    @Test(
        "reports what is no log of dives",
        arguments: [
            ("<divelog><dives/></divelog>", "holds no sample of a dive"),
            ("<uddf><profiledata></uddf>", "is no XML from here on"),
            ("<uddf>", "the XML ends too early"),
            ("\"dive number\",\"sample time\",\"sample depth\"\n1,0:10,2\n", "no column date, time"),
            (
                "Dive Number,GF Minimum,GF Maximum,Surface Interval,Imperial Units\n1,2,3,4,False\n",
                "holds no row after the header"
            ),
            ("Dive Number,GF Minimum,Imperial Units\n1,2,False\nTime,Depth\n1,2\n", "no column \"Time (sec)\""),
        ])
    func refused(text: String, message: String) throws {
        let result = try imported(.dive, text: text)
        #expect(result.has(message), "\(result.notes)")
        #expect(result.report.lines == 0 && result.report.problems == 1)
    }

    @Test("keeps the samples of a long dive sorted through a file", .slow)
    func long() throws {
        // Twenty a second, as a line of the recording holds a second.
        let times = (0..<40_000).map { Double(($0 * 7919) % 40_000) / 20 }
        let text = DiveWriter.uddf.text([WrittenDive(start: 1_767_258_000, samples: times.map { ($0, 5 + $0 / 1e5, nil) })])
        let result = try imported(.dive, text: text)
        #expect(result.report.files.first?.samples == 40_000)
        let read = result.payloads("submersion").flatMap { $0["measurements"] as? [[String: Any]] ?? [] }
            .compactMap { $0["timestamp"] as? Double }
        #expect(read == (0..<40_000).map { 1 + Double($0) / 20 })
    }

    @Test("reads no more than a hundred thousand dives", .slow)
    func many() throws {
        let head = "dive number,date,time,sample time (min),sample depth (m)\n"
        let day = (0..<100_001).map { "\($0),2026-01-01,x\($0),0:10,1\n" }.joined()
        let result = try imported(.dive, text: head + day)
        #expect(result.has("99995 more dives are left out like them"))
        #expect(result.has("log.csv:100002: more than 100000 dives; those from here on are not read"))
    }

    @Test("reads dates by --zone and --date-order, or by one date that shows its order")
    func rules() throws {
        let text = """
            "dive number","date","time","sample time (min)","sample depth (m)"
            "1","3/4/2026","09:00:00","0:10","10"
            "2","3/4/2026","11:00:00","0:10","12"

            """
        let starts = { (text: String, change: (inout ImportRequest) -> Void) in
            let result = try imported(.dive, text: text, change)
            return result.boots.flatMap(result.readings).map(\.at)
        }
        #expect(try starts(text) { _ in } == [])
        #expect(try imported(.dive, text: text).has("has two meanings; say --date-order dmy (day first) or mdy (month first)"))
        let april = 1_775_206_810.0
        #expect(try starts(text) { $0.times.dateOrder = .dayFirst } == [april, april + 7200])
        #expect(
            try starts(text) {
                $0.times.dateOrder = .dayFirst
                $0.times.zone = LocalZone("Europe/Berlin")
            } == [april - 7200, april])
        #expect(try starts(text.replacing("\"2\",\"3/4", with: "\"2\",\"13/4")) { _ in }.first == april)
    }

    @Test("of the hour that summer time repeats takes the first, also where the newest dive is first", arguments: [false, true])
    func repeatedHour(isNewestFirst: Bool) throws {
        let rows = ["1,2025-10-26,02:30:00,0:10,10", "2,2025-10-26,10:00:00,0:10,12"]
        let text =
            "dive number,date,time,sample time (min),sample depth (m)\n"
            + (isNewestFirst ? rows.reversed() : rows).joined(separator: "\n") + "\n"
        let result = try imported(.dive, text: text) { $0.times.zone = LocalZone("Europe/Berlin") }
        #expect(result.boots.flatMap(result.readings).map(\.at) == [1_761_438_610, 1_761_469_210], "\(result.notes)")
    }

    @Test("leaves out of two logs the dive that both have, and reads the others")
    func shared() throws {
        let exports = try Exports([
            "a.ssrf": DiveWriter.subsurface.text([dives[0]]), "b.ssrf": DiveWriter.subsurface.text(dives),
        ])
        let result = try imported(.dive, ["\(exports.path)/a.ssrf", "\(exports.path)/b.ssrf"])
        #expect(result.boots.count == 2 && result.report.problems == 1, "\(result.notes)")
        #expect(result.has("the dive that begins here is left out"))
    }
}
