import Foundation
import RecordingImport
import Testing

@Suite("Folders of several recordings")
struct FolderTests {
    private static let wrist = Motion.sensorLogger(Motion.series(10, every: 0.02))
    private static let steps = "time,seconds_elapsed,steps\n1700000000000000000,0,1\n1700000001000000000,1,3\n"
    private static let json =
        "[{\"sensor\":\"Pedometer\",\"time\":\"1600000000000000000\",\"seconds_elapsed\":\"0\",\"steps\":\"4\"}]"
    private static let dive = "unix_s,depth_m\n1800000000,1\n1800000001,0.1\n"

    private func zip(_ files: [(String, String)]) throws -> Data {
        try ArchiveWriter.archive(.zip, files.map { ($0, Array($1.utf8)) })
    }

    @Test("a file of Sensor Logger beside logs, zips and JSON hides none of them")
    func mixed() throws {
        let exports = try Exports([
            "WristMotion.csv": Self.wrist, "dive.csv": Self.dive, "a.json": Self.json, "notes.md": "text", "b.sml": "<sml/>",
        ])
        _ = try exports.write(zip([("Pedometer.csv", Self.steps)]), to: "b.zip")
        let result = try imported([exports.path])
        #expect(result.report.isClean, "\(result.notes)")
        let streams = result.report.files.map { "\($0.device)/\($0.stream.rawValue) \($0.samples)" }
        #expect(Set(streams) == ["d1-watch/device-motion 10", "d1/submersion 2", "d1/pedometer 1", "d1/pedometer 2"])
        #expect(result.has("passed over b.sml (Suunto SML), notes.md"))
    }

    @Test("each folder in an archive is an export of its own")
    func folders() throws {
        let later = Self.steps.replacing("17000000", with: "18000000")
        let exports = try Exports()
        let path = try exports.write(zip([("x/a/Pedometer.csv", Self.steps), ("x/b/Pedometer.csv", later)]), to: "a.zip")
        for format in [nil, ImportFormat.sensorLogger] {
            let result = try imported(format, [path])
            #expect(result.report.isClean && result.report.files.map(\.samples) == [2, 2], "\(result.notes)")
            #expect(result.report.files.map(\.file) == ["\(path)/x/a/Pedometer.csv", "\(path)/x/b/Pedometer.csv"])
        }
        let tar = try exports.write(
            ArchiveWriter.archive(.tarGz, [("./Pedometer.csv", Array(Self.steps.utf8)), ("./.hidden", [1])]), to: "a.tgz")
        #expect(try imported([tar]).report.files.map(\.file) == ["\(tar)/Pedometer.csv"])
    }

    @Test("an archive in another is named, and what is beside it is read")
    func nested() throws {
        let inner = try zip([("dive.csv", Self.dive)])
        let exports = try Exports()
        let path = try exports.write(
            ArchiveWriter.archive(.zip, [("inner.zip", Array(inner)), ("dive.csv", Array(Self.dive.utf8))]), to: "outer.zip")
        let result = try imported([path])
        #expect(result.has("outer.zip/inner.zip: is an archive; unpack it first"), "\(result.notes)")
        #expect(result.report.problems == 1 && result.report.files.map(\.samples) == [2])
    }

    @Test("a damaged archive in a folder is reported, and not passed over")
    func damaged() throws {
        let exports = try Exports(["dive.csv": Self.dive])
        // The bytes of the file in it are wrong.
        var bytes = [UInt8](try zip([("a.csv", String(repeating: Self.dive, count: 300))]))
        for index in 60..<90 { bytes[index] ^= 0x5A }
        for (content, name) in [(bytes, "a.zip"), (Array(bytes.prefix(40)), "b.zip")] {
            _ = try exports.write(Data(content), to: name)
        }
        let result = try imported([exports.path])
        #expect(result.report.files.map(\.samples).contains(2), "\(result.notes)")
        for name in ["a.zip", "b.zip"] {
            #expect(result.notes.contains { $0.contains("/\(name)") && $0.contains("damaged, cut short or encrypted") })
        }
        #expect(result.report.problems >= 2)
    }

    @Test("of a zip that is cut short the files before that place are read")
    func cut() throws {
        let exports = try Exports()
        let whole = try ArchiveWriter.archive(
            .zip, [("Pedometer.csv", Array(Self.steps.utf8)), ("WristMotion.csv", Array(Self.wrist.utf8))])
        let path = try exports.write(whole.prefix(whole.count / 2), to: "a.zip")
        let result = try imported([path])
        #expect(result.report.files.contains { $0.stream == .pedometer && $0.samples == 2 }, "\(result.notes)")
        #expect(!result.report.isClean && result.has("is damaged, cut short or encrypted"))
    }

    @Test("a folder of which nothing is read says what is in it")
    func nothing() throws {
        let exports = try Exports(["a.sml": "<sml/>", "b.md": "text"])
        #expect(try imported([exports.path]).has("holds no file of a format that is read: a.sml (Suunto SML), b.md"))
    }
}
