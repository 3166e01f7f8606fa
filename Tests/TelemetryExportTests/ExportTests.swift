import Foundation
import TelemetryExport
import Testing

@Suite("Derived messages as CSV and line protocol")
struct ExportTests {
    private func row(_ kind: String, _ body: String, at: String = "1763749000.123456") throws -> ExportRow? {
        try ExportRow(
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

    @Test func `Texts cannot break a line or end a value`() throws {
        let rejected = try #require(
            try row(
                "rejected", #""reason":"missingField","detail":"a \"b\" \\ c\nd,e=f ","topic":"t","payload":"e30=","count":2"#))
        let line = try #require(LineProtocolWriter.line(rejected))
        #expect(line.contains(##"detail="a \"b\" \\ c d,e=f ""##))
        #expect(line.filter(\.isNewline).count == 1 && !line.contains("e30="))
        #expect(CSVWriter.line(rejected).contains("\"a \"\"b\"\" \\ c\nd,e=f \""))
    }

    @Test func `A table's header is the same for every message, and each line has its columns`() throws {
        let header = try #require(ExportTable.all.first { $0.name == "depth-state" }.map(CSVWriter.header))
        #expect(
            header
                == "at,device,subject,quality,validUntil,id,deviceTime,received,source.stream,source.boot,"
                + "state,rawValue,previous,cause,depth,maximumDepth,surfacePressure,early\n")
        let line = try #require(try row("depth-state", depth).map(CSVWriter.line))
        #expect(
            line
                == "1763749000.123456,ultra-1,,valid,1763749005.5,ab,5321.5,,submersion,b1,submergedDeep,300,,sample,4.96,6,,\n")
        let sparse = try #require(try row("depth-state", #""state":"unknown""#).map(CSVWriter.line))
        #expect(sparse.filter { $0 == "," }.count == header.filter { $0 == "," }.count)
        let dive = try #require(try row("dive", #""profile":{"interval":1,"depth":[0.85,null]}"#).map(CSVWriter.line))
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
        #expect(try ExportRow(Array(payload.utf8)) == nil)
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
        let problem = #expect(throws: ExportRow.Problem.self) { try ExportRow(Array(payload.utf8)) }
        #expect(problem?.description.contains(reason) == true, "\(problem?.description ?? "")")
    }
}
