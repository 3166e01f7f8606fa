import Foundation
@testable import RecordingImport
import Testing

@Suite("Formats by content")
struct FormatTests {
    private static let dive = "time (s),depth (m)\n0,0.1\n1,2\n2,0.1\n"
    private static func dated(_ hour: Int) -> String {
        "time,depth (m)\n2026-01-01 0\(hour):00:00Z,0.1\n2026-01-01 0\(hour):10:00Z,0.1\n"
    }

    private static let metadata =
        "version,device name,device id,standardisation\n3,iPhone 15 Pro,6F9619FF-8B86-D011-B42D-00CF4FC964FF,false\n"

    private func imported(
        _ paths: [String], device: String? = "d1", answer: String? = nil,
        _ change: (inout ImportRequest) throws -> Void = { _ in }
    ) throws -> Imported {
        try RecordingImportTests.imported(nil, paths, device: device, answer: answer) {
            $0.start = 1_767_261_600
            try change(&$0)
        }
    }

    @Test func `A folder of recordings of several kinds is read at once, whatever their names`() throws {
        let exports = try Exports(["a.txt": Self.dive, "notes.md": "# a dive\n", "b.bin": "\u{0}\u{1}"])
        let phone = "\(exports.path)/monday"
        try FileManager.default.createDirectory(atPath: "\(phone)/inner", withIntermediateDirectories: true)
        try Motion.sensorLogger(Motion.series(10, every: 0.02)).write(
            toFile: "\(phone)/WristMotion.csv", atomically: true, encoding: .utf8)
        let result = try imported([exports.path])
        #expect(result.report.isClean, "\(result.notes)")
        #expect(result.payloads("submersion", device: "d1").count == 3)
        #expect(result.payloads("device-motion", device: "d1-watch").count == 1)
        #expect(result.has("passed over b.bin, notes.md"))
    }

    @Test func `A folder of dive logs, and one with nothing that is read`() throws {
        let exports = try Exports(["1.csv": Self.dated(1), "2.csv": Self.dated(2)])
        let result = try imported([exports.path]) { $0.start = nil }
        #expect(result.report.isClean && result.report.files.count == 2, "\(result.notes)")
        let empty = try Exports(["a.md": "text"])
        #expect(try imported([empty.path, exports.path]).has("holds no file of a format that is read"))
        #expect(try imported([empty.path]).report.problems == 1)
    }

    @Test(arguments: [
        ("\u{FEFF}<gpx>", "is GPX, which is not read"), ("<note/>", "is XML, and of no format"),
        (#"[{"time":"1"}]"#, "is JSON, and no export of Sensor Logger"),
        ("[1,2]", "is of no format"),
        (#"{"a":1}"#, "is JSON"), ("PK\u{3}\u{4}xx", "is an archive"),
        ("SQLite format 3\u{0}", "is a database"),
        ("%PDF-1.7", "is a PDF"), ("hello\nworld\n", "is of no format that is found by its content"), ("", "is of no format"),
        ("a\u{0}b", "is no text"), ("BZh9", "is compressed (bzip2)"), ("<TrainingCenterDatabase/>", "is TCX"),
        ("<sml SdkVersion='2'>", "is Suunto SML, which is not read; Subsurface opens it"), ("<SUUNTO>", "is Suunto SDM"),
        ("<dive><number>1</number></dive>", "is libdivecomputer's XML"), ("<dives><units>Metric</units>", "is MacDive XML"),
        ("<DIVELOGSDATA>", "is divelogs.de XML"), ("<PROFILE UDCF='1'>", "is UDCF"), ("FSH|^~<>{}|A|ZXU|1|", "is DAN DL7"),
        ("dive number,date,time,duration [min],maxdepth [m],avgdepth [m]\n", "export \"CSV dive profile\""),
    ])
    func `What is not read is named`(text: String, message: String) throws {
        let exports = try Exports(["x.csv": text])
        let result = try imported(["\(exports.path)/x.csv"])
        #expect(result.has(message), "\(result.notes)")
        #expect(result.report.problems == 1)
        guard !message.contains("no format") else { return }
        #expect(try imported(["\(exports.path)/x.csv"]) { $0.format = .dive }.has(message))
    }

    @Test func `Compressed bytes are named, too`() throws {
        let exports = try Exports()
        let path = try exports.write(Data([0x1F, 0x8B, 8, 0, 0]), to: "x.csv")
        #expect(try imported([path]).has("is compressed (gzip)"))
    }

    @Test func `A format that was said and is another is named`() throws {
        let exports = try Exports(["log.csv": Self.dive])
        let result = try imported(["\(exports.path)/log.csv"]) { $0.format = .sensorLog }
        #expect(result.has("log.csv: is a dive log: leave out --format, or say --format dive"))
        #expect(result.lines.isEmpty)
    }

    @Test func `The device is the file's own, or asked for, or the format`() throws {
        let motion = Motion.sensorLogger(Motion.series(10, every: 0.02))
        let exports = try Exports(["WristMotion.csv": motion, "Metadata.csv": Self.metadata])
        let own = try imported([exports.path], device: nil)
        #expect(own.payloads("status", device: "6F9619FF-8B86-D011-B42D-00CF4FC964FF-watch").count == 1)
        #expect(try imported([exports.path], device: "anna").payloads("status", device: "anna-watch").count == 1)
        let dive = try Exports(["log.csv": Self.dive])
        let asked = try imported([dive.path], device: nil, answer: "Anna's computer")
        #expect(asked.payloads("status", device: "Anna-s-computer").count == 1)
        let nobody = try imported([dive.path], device: nil)
        #expect(nobody.payloads("status", device: "dive").count == 1)
        #expect(nobody.has("names no device, so it is dive; say --device for another"))
    }

    @Test(arguments: [
        ("", nil), ("///", nil), ("ä b", "b"), ("a/+#b", "a-b"),
        (String(repeating: "x", count: 99), String(repeating: "x", count: 58)),
    ])
    func `Names become device ids`(name: String, expected: String?) { #expect(ImportRequest.device(named: name) == expected) }

    @Test func `Of two logs of the same time of a device the second is left out, of two devices none`() throws {
        let exports = try Exports(["1.csv": Self.dive, "2.csv": Self.dive + "3,0.1\n"])
        let result = try imported([exports.path])
        #expect(result.has("2.csv: is of the same time of d1 as \(exports.path)/1.csv: left out"), "\(result.notes)")
        #expect(result.report.files.count == 1 && result.report.problems == 1)
        let motion = Motion.sensorLogger(Motion.series(10, every: 0.02))
        let both = try Exports(["WristMotion.csv": motion, "Headphone.csv": motion, "Barometer.csv": ""])
        #expect(try imported([both.path]).report.files.count == 2)
        #expect(try imported([both.path, both.path]).report.files.count == 2)
    }

    @Test func `Progress rises to the end over all files`() throws {
        let exports = try Exports(["1.csv": Self.dated(1), "2.csv": Self.dated(2)])
        var shown: [Double] = []
        let request = try ImportRequest(paths: [exports.path], device: "d")
        _ = Importer(request, note: { _ in }, progress: { shown.append($0) }).run { _ in true }
        #expect(shown == shown.sorted() && shown.last == 1, "\(shown)")
    }
}
