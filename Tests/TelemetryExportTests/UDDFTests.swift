import Foundation
import RecordingImport
import TelemetryExport
import Testing

@Suite("Dives as UDDF")
struct UDDFTests {
    private func row(_ kind: String, at: Double, _ body: String) throws -> ExportRow {
        let payload = #"{"id":"\#(kind)\#(at)","device":"ultra-1","kind":"\#(kind)","at":\#(at),\#(body)}"#
        return try #require(try ExportRow.rows(Array(payload.utf8)).first)
    }

    private func dive(start: Double, depths: String = "[0.85,null,3.5,5.25]", interval: Double = 1) throws -> ExportRow {
        try row(
            "dive", at: start + 4.4,
            """
            "start":\(start),"end":\(start + 4.4),"duration":4.4,"deepest":5.25,"averageDepth":3.2,"minimumTemperature":17.77,\
            "profile":{"interval":\(interval),"depth":\(depths)}
            """)
    }

    private func document(_ rows: [ExportRow]) -> String {
        var writer = UDDFWriter()
        return UDDFWriter.header(version: "1") + rows.compactMap { writer.text($0) }.joined() + UDDFWriter.footer
    }

    @Test func `A dive has its date, its profile, the temperatures in it and its end at the surface`() throws {
        let start = 1_763_749_002.75
        let text = try document([
            row("water-temperature", at: start - 100, #""temperature":30"#), dive(start: start - 1000),
            row("water-temperature", at: start + 2.5, #""temperature":18.05"#), dive(start: start),
        ])
        #expect(text.contains("<datetime>2025-11-21T18:16:42Z</datetime>"))
        let waypoints = text.components(separatedBy: "<waypoint>").suffix(4).map {
            $0.components(separatedBy: "</waypoint>")[0]
        }
        #expect(
            waypoints == [
                "<depth>0.85</depth><divetime>0.75</divetime>",
                "<depth>3.5</depth><divetime>2.75</divetime><temperature>291.2</temperature>",
                "<depth>5.25</depth><divetime>3.75</divetime>",
                "<depth>0</depth><divetime>5.15</divetime>",
            ])
        #expect(text.contains("<greatestdepth>5.25</greatestdepth><averagedepth>3.2</averagedepth>"))
        #expect(text.contains("<lowesttemperature>290.92</lowesttemperature>"))
        #expect(text.contains("<para>The depth is not known, or was withheld, for 1 s of the profile.</para>"))
    }

    @Test func `A dive that comes twice is written once, and other kinds are not`() throws {
        let text = try document([
            dive(start: 1_763_749_000), dive(start: 1_763_749_000), row("swing", at: 1_763_749_001, #""peak":1"#),
            dive(start: 1_763_750_000, depths: "[]"),
        ])
        #expect(text.components(separatedBy: "<dive ").count == 3)
        #expect(text.hasSuffix("</uddf>\n"))
        let large = try document([row("dive", at: 1, #""start":1763749000,"duration":4,"deepest":1e308"#)])
        #expect(large.contains("<diveduration>4<") && !large.contains("greatestdepth"))
    }

    @Test func `A dive whose start was not measured begins at the surface, and its end has a second of its own`() throws {
        let text = try document([dive(start: 1_763_749_000.5, depths: "[null,2,3,4,5]")])
        let times = text.components(separatedBy: "<divetime>").dropFirst().map { $0.prefix { $0 != "<" } }
        #expect(times == ["0.5", "1.5", "2.5", "3.5", "4.5", "5"])
        #expect(text.components(separatedBy: "<depth>0</depth>").count == 3)
    }

    @Test(arguments: [("[0.85,3.5]", 2), ("[0.85,null]", 3), ("[0.85]", 3), ("[]", 4)])
    func `A dive whose depth is not known up to its end says so`(depths: String, seconds: Int) throws {
        let text = try document([dive(start: 1_763_749_000, depths: depths)])
        #expect(text.contains("not known, or was withheld, for \(seconds) s of the profile"), "\(text)")
    }

    @Test(arguments: ["[]", "[null,null,null,null,null]"])
    func `A dive without any known depth has no profile, and is not drawn at the surface`(depths: String) throws {
        let text = try document([dive(start: 1_763_749_000, depths: depths)])
        #expect(text.contains("<greatestdepth>5.25</greatestdepth>"))
        #expect(!text.contains("waypoint") && !text.contains("samples"), "\(text)")
    }

    @Test func `An import reads what was written`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fathom-uddf-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "dives").path
        let rows = try [dive(start: 1_763_749_002.75), dive(start: 1_763_750_000, depths: "[1.5,2.5]", interval: 2)]
        try document(rows).write(toFile: path, atomically: true, encoding: .utf8)
        var lines: [String] = []
        let report = Importer(try ImportRequest(format: .dive, paths: [path]), note: { _ in }).run {
            lines.append(String(decoding: $0, as: UTF8.self))
            return true
        }
        #expect(report.isClean)
        let depths = lines.filter { $0.contains("/in/submersion") }.map { line in
            line.components(separatedBy: #""depth":{"value":"#).dropFirst().map { $0.prefix { $0 != "," } }.joined(separator: " ")
        }
        #expect(depths == ["0.85", "3.5", "5.25", "0", "1.5", "2.5", "0"])
        #expect(lines.contains { $0.contains(#""at":1763749002.75,"#) })
    }
}
