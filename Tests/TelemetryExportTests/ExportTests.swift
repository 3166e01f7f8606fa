import Foundation
import TelemetryExport
import Testing

@Suite("Derived messages as CSV and line protocol")
struct ExportTests {
    private func row(_ kind: String, _ body: String, at: String = "1763749000.123456") throws -> ExportRow? {
        try rows(kind, body, at: at).first
    }

    private func rows(_ kind: String, _ body: String, at: String = "1763749000.123456") throws -> [ExportRow] {
        try ExportRow.rows(
            Array(
                """
                {"schema":"wearables/1","id":"ab","device":"ultra-1","kind":"\(kind)","at":\(at),"deviceTime":5321.5,"received":null,\
                "source":{"stream":"submersion","boot":"b1","seq":[41,42]},"derivation":{"version":1,"config":"dc0a"},\
                "quality":"valid",\(body)}
                """.utf8))
    }

    private let depth = """
        "validUntil":1763749005.5,"state":"submergedDeep","rawValue":300,"previous":null,"cause":"sample","depth":4.96,\
        "maximumDepth":6,"surfacePressure":null
        """

    @Test func `A line of line protocol has the kind, the device, every value and the instant in nanoseconds`() throws {
        let line = try #require(try row("depth-state", depth).flatMap(LineProtocolWriter.line))
        #expect(
            line == """
                depth-state,device=ultra-1 quality="valid",validUntil=1763749005.5,state="submergedDeep",rawValue=300,cause="sample",\
                depth=4.96,maximumDepth=6 1763749000123456000

                """)
    }

    @Test func `The second level of a kind is a tag, components are fields, and lists of numbers are left out`() throws {
        let headphones = try #require(try row("connection/headphone", #""state":"connected","previous":null"#))
        #expect(LineProtocolWriter.line(headphones)?.hasPrefix("connection,device=ultra-1,subject=headphone quality=") == true)
        let pose = try #require(try row("head-pose", #""attitude":{"x":0,"y":1.9e-19,"z":-0.5,"w":1},"yaw":-3"#))
        #expect(
            LineProtocolWriter.line(pose)
                == #"head-pose,device=ultra-1 quality="valid",attitude.x=0,attitude.y=1.9e-19,attitude.z=-0.5,attitude.w=1,yaw=-3 "#
                + "1763749000123456000\n")
        let dive = try #require(try row("dive", #""duration":22.5,"profile":{"interval":1,"depth":[0.85,null]}"#))
        #expect(LineProtocolWriter.line(dive)?.contains("profile") == false)
        let access = try #require(try row("access/batched-imu", #""allowed":true,"refusedHalves":["deviceMotion"]"#))
        #expect(LineProtocolWriter.line(access)?.contains(#"allowed=true,refusedHalves="[\"deviceMotion\"]""#) == true)
    }

    @Test func `Each sample of a series is a row with its own instant, and what is of the frame is in all`() throws {
        let series =
            #""timestamp":[1763748999.9,1763749000.123456],"attitude":{"x":[0,0.5],"y":[0,0],"z":[0,0],"w":[1,0.9]},"roll":[0,1],"#
            + #""yaw":[-0.25,-3],"sensorLocation":["headphoneLeft","headphoneRight"],"referenceAt":1763748000,"sampleQuality":[1,0]"#
        let found = try rows("head-pose/series", series)
        #expect(found.map(\.at) == [1_763_748_999.9, 1_763_749_000.123_456])
        #expect(
            found.compactMap(LineProtocolWriter.line) == [
                #"head-pose,device=ultra-1,subject=series quality="valid",attitude.x=0,attitude.y=0,attitude.z=0,attitude.w=1,roll=0,"#
                    + #"yaw=-0.25,sensorLocation="headphoneLeft",referenceAt=1763748000,sampleQuality=1 1763748999900000000"#
                    + "\n",
                #"head-pose,device=ultra-1,subject=series quality="valid",attitude.x=0.5,attitude.y=0,attitude.z=0,attitude.w=0.9,roll=1,"#
                    + #"yaw=-3,sensorLocation="headphoneRight",referenceAt=1763748000,sampleQuality=0 1763749000123456000"#
                    + "\n",
            ])
        let table = try #require(found.first?.table)
        #expect(!table.fieldNames.contains("timestamp") && table.fieldNames.contains("sampleQuality"))
        // The pair of the frames' seq is no column, though there are two samples.
        #expect(found.allSatisfy { CSVWriter().line($0).contains(",submersion,b1,") })
        #expect(CSVWriter().line(found[0]).contains(",5321.276544,"))
    }

    @Test(arguments: [#"[]"#, #"[1763749000,"x"]"#, #"[1763749000,null]"#, #"{"start":5}"#, "7"])
    func `What is no list of instants is no series`(timestamp: String) throws {
        #expect(try rows("head-pose/series", #""timestamp":\#(timestamp),"yaw":[1,2]"#).count == 1)
        #expect(throws: ExportRow.Problem.self) { try rows("head-pose/series", #""timestamp":[1763749000,1e300],"yaw":[1,2]"#) }
    }

    @Test func `Gaps of two streams at one time are two points`() throws {
        let lines = try ["headphone-motion", "device-motion"].map { stream in
            try #require(
                try row("gap", #""stream":"\#(stream)","unit":"frames","expected":1,"received":0"#).flatMap(
                    LineProtocolWriter.line))
        }
        #expect(lines[0].hasPrefix("gap,device=ultra-1,subject=headphone-motion "))
        #expect(lines[1].hasPrefix("gap,device=ultra-1,subject=device-motion "))
    }

    @Test func `A payload that nests without end is no row, and one that nests deep is`() throws {
        func nested(_ levels: Int, around value: String = "") -> String {
            depth + ",\"more\":" + String(repeating: "[", count: levels) + value + String(repeating: "]", count: levels)
        }
        #expect(try row("depth-state", nested(100)) != nil)
        #expect(throws: ExportRow.Problem.self) { try row("depth-state", nested(100_000)) }
        // No number: each level is tried as a list and as an object.
        #expect(throws: ExportRow.Problem.self) { try row("depth-state", nested(100, around: "1e999")) }
    }

    @Test func `What raised an alarm is a text in line protocol, whatever it was`() throws {
        for (value, written) in [("3.5", "\"3.5\""), ("\"pastMaxDepth\"", "\"pastMaxDepth\"")] {
            let alarm = try #require(try row("alarm/deep", #""alarm":"deep","state":"raised","value":\#(value),"count":1"#))
            let line = try #require(LineProtocolWriter.line(alarm))
            #expect(line.hasPrefix("alarm,device=ultra-1,subject=deep "))
            #expect(line.contains("value=\(written),") && line.contains("count=1 "))
        }
        let parted = try #require(try row("alarm/refused/submersion", #""alarm":"refused","state":"raised","count":1"#))
        #expect(LineProtocolWriter.line(parted)?.hasPrefix("alarm,device=ultra-1,subject=refused/submersion ") == true)
    }

    @Test func `Texts cannot break a line or end a value`() throws {
        let rejected = try #require(
            try row(
                "rejected", #""reason":"missingField","detail":"a \"b\" \\ c\nd,e=f ","topic":"t","payload":"e30=","count":2"#))
        let line = try #require(LineProtocolWriter.line(rejected))
        #expect(line.contains(##"detail="a \"b\" \\ c\\u{a}d,e=f ""##))
        #expect(line.filter(\.isNewline).count == 1 && !line.contains("e30="))
        #expect(CSVWriter().line(rejected).contains(##""a ""b"" \ c\u{a}d,e=f ""##))
    }

    /// A row with a text that a device or a broker has chosen, without JSON's escapes where they are not needed.
    private func rejected(_ detail: String) throws -> ExportRow {
        let text = detail.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
        return try #require(try row("rejected", #""reason":"missingField","detail":"\#(text)","topic":"t","count":2"#))
    }

    /// The cells of a line by RFC 4180, read by its bytes as programs do that know nothing of Unicode's grapheme clusters.
    private func cells(_ line: String) -> [String] {
        var (cells, isQuoted) = ([[UInt8]()], false)
        for byte in line.utf8.dropLast() {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte == UInt8(ascii: ","), !isQuoted { cells.append([]) } else { cells[cells.count - 1].append(byte) }
        }
        return cells.map { String(decoding: $0, as: UTF8.self) }
    }

    /// A combining mark, a variation selector, a joiner and a spacing mark: each makes one `Character` with what is before it.
    private static let attached = ["\u{301}", "\u{FE0F}", "\u{200D}", "\u{20DD}", "\u{903}"]

    @Test(arguments: ["\"", ",", "\\", "=", " "], attached)
    func `A mark that attaches itself to a delimiter adds no column, no row and no field`(delimiter: String, mark: String) throws
    {
        let row = try rejected("a\(delimiter)\(mark),=cmd,\(delimiter)\(mark)\(delimiter)")
        let line = CSVWriter().line(row)
        let columns = CSVWriter.header(of: row.table).utf8.count { $0 == UInt8(ascii: ",") } + 1
        #expect(cells(line).count == columns)
        #expect(cells(line).allSatisfy { $0.utf8.first != UInt8(ascii: "=") })
        let points = try #require(LineProtocolWriter.line(row))
        #expect(points.utf8.count { $0 == UInt8(ascii: "\n") } == 1)
        // Outside of quotes there is no other "=" than those behind names.
        var (isQuoted, isEscaped, equals) = (false, false, 0)
        for byte in points.utf8 {
            if isEscaped { isEscaped = false; continue }
            if byte == UInt8(ascii: "\\") { isEscaped = true }
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte == UInt8(ascii: "="), !isQuoted { equals += 1 }
        }
        #expect(!isQuoted && equals == 6, "\(points)")
    }

    @Test(arguments: ["=1+1", "+1", "-1", "@a", "=\u{301}1", "  =1", "＝1", "＋1", "－1", "＠a"])
    func `For spreadsheets a text that looks like a formula gets an apostrophe, and no number does`(text: String) throws {
        let row = try rejected(text)
        #expect(cells(CSVWriter(forSpreadsheets: true).line(row)).contains("'" + text))
        #expect(cells(CSVWriter().line(row)).contains(text))
        let depth = try #require(try self.row("head-pose", #""yaw":-3"#))
        #expect(cells(CSVWriter(forSpreadsheets: true).line(depth)).contains("-3"))
        let device = try #require(
            try ExportRow.rows(Array(#"{"kind":"connection/-1-1","device":"-2-3","at":-5,"state":"x"}"#.utf8)).first)
        #expect(CSVWriter(forSpreadsheets: true).line(device).hasPrefix("-5,'-2-3,'-1-1,"))
    }

    @Test(arguments: ["\t=1", "\r=1", "\u{1B}[2J", "\u{9B}2J", "\u{202E}x", "\u{2028}=1", "a\u{0}b", "\u{7F}"])
    func `No character that does not print is in an export, whatever it begins`(text: String) throws {
        let escaped = text.unicodeScalars.map { scalar in
            (0x20...0x7E).contains(scalar.value) ? "\(scalar)" : "\\u{\(String(scalar.value, radix: 16))}"
        }
        let json = text.utf16.map { "\\u" + String(0x1_0000 + Int($0), radix: 16).dropFirst() }
        let row = try #require(
            try row("access/status", #""allowed":true,"refusedHalves":["\#(json.joined())"],"reason":"\#(json.joined())""#))
        let gap = try #require(try self.row("gap", #""stream":"\#(json.joined())","unit":"frames""#))
        for line in [
            CSVWriter().line(row), CSVWriter(forSpreadsheets: true).line(row), try #require(LineProtocolWriter.line(row)),
            CSVWriter().line(gap), try #require(LineProtocolWriter.line(gap)),
        ] {
            #expect(line.unicodeScalars.dropLast().allSatisfy { (0x20...0x7E).contains($0.value) }, "\(line.debugDescription)")
        }
        #expect(CSVWriter().line(row).contains(escaped.joined()))
        #expect(try #require(LineProtocolWriter.line(gap)).hasPrefix("gap,device=ultra-1 "), "no tag of it")
    }

    @Test func `A table's header is the same for every message, and each line has its columns`() throws {
        let header = try #require(ExportTable.all.first { $0.name == "depth-state" }.map(CSVWriter.header))
        #expect(
            header
                == "at,device,subject,quality,validUntil,id,deviceTime,received,source.stream,source.boot,"
                + "state,rawValue,previous,cause,depth,maximumDepth,surfacePressure,early\n")
        let line = try #require(try row("depth-state", depth).map(CSVWriter().line))
        #expect(
            line
                == "1763749000.123456,ultra-1,,valid,1763749005.5,ab,5321.5,,submersion,b1,submergedDeep,300,,sample,4.96,6,,\n")
        let sparse = try #require(try row("depth-state", #""state":"unknown""#).map(CSVWriter().line))
        #expect(sparse.filter { $0 == "," }.count == header.filter { $0 == "," }.count)
        let dive = try #require(try row("dive", #""profile":{"interval":1,"depth":[0.85,null]}"#).map(CSVWriter().line))
        #expect(dive.hasSuffix(#","{""depth"":[0.85,null],""interval"":1}""# + "\n"))
    }

    @Test func `Every kind has a table, and no table has a column twice`() {
        for table in ExportTable.all { #expect(Set(table.fieldNames).count == table.fieldNames.count) }
        #expect(Set(ExportTable.all.map(\.name)).count == ExportTable.all.count)
        for name in ["depth-state", "dive", "swing", "connection", "access", "gap", "rejected", "error", "trace"] {
            #expect(ExportTable.all.contains { $0.name == name })
        }
    }

    @Test(
        arguments: [
            "", #"{"schema":"wearables/1","device":"d1","kind":"committed/submersion","boot":"b1","seq":4}"#,
            #"{"schema":"wearables/1","gateway":"g","state":"online"}"#,
        ])
    func `Messages that are no measurements are left out`(payload: String) throws {
        #expect(try ExportRow.rows(Array(payload.utf8)).isEmpty)
    }

    @Test(
        arguments: [
            ("null", "no JSON object"), ("[1]", "no JSON object"), ("{", "no JSON object"), ("{}", "'kind' is missing"),
            (#"{"schema":"wearables/1","boot":"b","seq":0,"uptime":1}"#, "run 'fathom replay' first"),
            (#"{"kind":"surprise","device":"d1","at":1}"#, "'surprise' is no kind"),
            (#"{"kind":"dive","device":"d 1,x=y","at":1}"#, "no identifier"), (#"{"kind":"dive","at":1}"#, "no identifier"),
            (#"{"kind":"connection/a b","device":"d1","at":1}"#, "no identifier"),
            (#"{"kind":"dive","device":"d1"}"#, "'at'"), (#"{"kind":"dive","device":"d1","at":1e300}"#, "'at'"),
            (#"{"kind":"dive","device":"d1","at":"now"}"#, "'at'"),
        ])
    func `Anything else is a problem with a reason`(payload: String, reason: String) {
        let problem = #expect(throws: ExportRow.Problem.self) { try ExportRow.rows(Array(payload.utf8)) }
        #expect(problem?.description.contains(reason) == true, "\(problem?.description ?? "")")
    }
}
