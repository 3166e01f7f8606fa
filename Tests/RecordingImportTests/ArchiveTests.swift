import Foundation
import GatewayTestSupport
import RecordingImport
import Testing

@Suite("Import of archives")
struct ArchiveTests {
    private static let pedometer =
        "time,seconds_elapsed,steps\n" + (0..<20).map { "\(1_700_000_000 + $0)000000000,\($0),\($0 * 2)\n" }.joined()
    private static let barometer =
        "time,seconds_elapsed,relativeAltitude,pressure\n"
        + (0..<20).map { "\(1_700_000_000 + $0)000000000,\($0),0.\($0),1013\n" }.joined()
    private static let files = [
        "Barometer.csv": barometer, "Pedometer.csv": pedometer, "Metadata.csv": "version,standardisation\n3,false\n",
        "Location.csv": "time\n1\n",
    ]
    private static let dive = "unix_s,depth_m\n" + (0..<30).map { "\(1_700_000_000 + $0),\($0)\n" }.joined()

    private static func bytes(_ files: [String: String]) -> [(name: String, bytes: [UInt8])] {
        files.sorted { $0.key < $1.key }.map { ($0.key, Array($0.value.utf8)) }
    }

    @Test(
        "an export in an archive gives the bytes that its folder gives", arguments: ArchiveWriter.Kind.allCases,
        ["", "2025-01-01/"])
    func sensorLogger(kind: ArchiveWriter.Kind, folder: String) throws {
        let exports = try Exports(Self.files)
        let unpacked = try imported(.sensorLogger, [exports.path])
        let archive = try ArchiveWriter.archive(
            kind,
            Self.bytes(Self.files).map { (folder + $0.name, $0.bytes) }
                + [("__MACOSX/._Pedometer.csv", [0, 1]), (".DS_Store", [0])])
        // Its ending says nothing.
        for name in ["export.\(kind.ending)", "export.csv"] {
            let path = try exports.write(archive, to: name)
            let packed = try imported(.sensorLogger, [path])
            #expect(packed.report.isClean, "\(packed.notes)")
            #expect(packed.text == unpacked.text && !packed.text.isEmpty)
            #expect(packed.has("passed over") && packed.has("Location.csv"))
            #expect(packed.report.files.map(\.file).contains("\(path)/\(folder)Pedometer.csv"))
            let single = try imported(.sensorLogger, ["\(path)/\(folder)Pedometer.csv"])
            #expect(single.payloads("pedometer").count == 20 && single.payloads("altimeter").isEmpty)
        }
    }

    @Test("every file of an archive is read where one is one recording", arguments: ArchiveWriter.Kind.allCases)
    func several(kind: ArchiveWriter.Kind) throws {
        let exports = try Exports(["a.csv": Self.dive])
        let later = Self.dive.replacing("17000000", with: "18000000")
        let path = try exports.write(
            try ArchiveWriter.archive(kind, Self.bytes(["x/a.csv": Self.dive, "x/b.csv": later])), to: "a.bin")
        let packed = try imported(.dive, [path])
        #expect(packed.report.isClean, "\(packed.notes)")
        #expect(packed.report.files.map(\.file) == ["\(path)/x/a.csv", "\(path)/x/b.csv"])
        #expect(packed.text.starts(with: try imported(.dive, ["\(exports.path)/a.csv"]).text))
        #expect(packed.report.files.map(\.samples) == [30, 30])
    }

    @Test("a gz is the file in it, of every format")
    func gz() throws {
        let exports = try Exports(["a.csv": Self.dive])
        let path = try exports.write(try ArchiveWriter.gz(Array(Self.dive.utf8)), to: "b.csv")
        #expect(try imported(.dive, [path]).text == imported(.dive, ["\(exports.path)/a.csv"]).text)
        let fit = FITWriter.dive([(1_700_000_000, 2, 20, nil)]).file()
        let plain = try exports.write(Data(fit), to: "a.fit")
        let packed = try exports.write(try ArchiveWriter.gz(fit), to: "a.fit.gz")
        #expect(try imported(.fit, [packed]).text == imported(.fit, [plain]).text)
        let zip = try exports.write(try ArchiveWriter.archive(.zip, [("a.fit", fit)]), to: "a.zip")
        #expect(try imported(.fit, [zip]).text == imported(.fit, [plain]).text)
    }

    @Test("an archive that is cut short is read as far as it goes, and reported", arguments: ArchiveWriter.Kind.allCases)
    func truncated(kind: ArchiveWriter.Kind) throws {
        let exports = try Exports()
        // Rows that do not compress much.
        var random = SystemRandomNumberGenerator()
        let rows = (0..<20_000).map { "\(1_700_000_000 + $0),\(UInt32.random(in: 0..<10_000, using: &random))\n" }
        let whole = try ArchiveWriter.archive(kind, Self.bytes(["a.csv": "unix_s,depth_m\n" + rows.joined()]))
        let path = try exports.write(whole.prefix(whole.count * 2 / 3), to: "cut")
        let result = try imported(.dive, [path])
        #expect(!result.report.isClean)
        #expect(result.has("archive that is damaged, cut short or encrypted"), "\(result.notes)")
        #expect(result.has("what stands before is read") && (10_000..<20_000).contains(result.report.files.first?.samples ?? 0))
        for count in [0, 1, 3, 10, 100] {
            let path = try exports.write(whole.prefix(count), to: "cut")
            #expect(try !imported(.dive, [path]).report.isClean)
        }
    }

    @Test("a bomb is refused before it unpacks", .slow)
    func bomb() throws {
        let exports = try Exports()
        let zeros = [UInt8](repeating: 0x31, count: 300 << 20)
        let result = try imported(.dive, [exports.write(ArchiveWriter.gz(zeros), to: "bomb.gz")])
        #expect(result.has("unpacks to more than"), "\(result.notes)")
        var zip = try ArchiveWriter.archive(.zip, [("a.csv", zeros)])
        let path = try exports.write(zip, to: "bomb.zip")
        #expect(try imported(.dive, [path]).has("unpacks to more than"))
        // It states that it holds 100 bytes.
        let size = withUnsafeBytes(of: UInt32(zeros.count).littleEndian) { Data($0) }
        while let stated = zip.range(of: size) { zip.replaceSubrange(stated, with: [100, 0, 0, 0]) }
        #expect(try imported(.dive, [exports.write(zip, to: "bomb.zip")]).has("unpacks to more than"))
    }

    @Test("names that lead out of an archive are no files, and nothing is written")
    func paths() throws {
        let exports = try Exports()
        let path = try exports.write(
            try ArchiveWriter.archive(.tar, Self.bytes(["../a.csv": Self.dive, "/tmp/b.csv": Self.dive, "c.csv": Self.dive])),
            to: "a.tar")
        let result = try imported(.dive, [path])
        // The same dive twice: the later is left out.
        #expect(result.report.files.count == 1 && result.report.problems == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: exports.path) == ["a.tar"])
        for name in ["../a.tar", "nothing.csv", "c.csv/d"] {
            #expect(try !imported(.dive, ["\(path)/\(name)"]).report.isClean)
        }
    }

    @Test("an archive without a file is a problem", arguments: ArchiveWriter.Kind.allCases, [ImportFormat.dive, .sensorLogger])
    func empty(kind: ArchiveWriter.Kind, format: ImportFormat) throws {
        let exports = try Exports()
        for files in [[], [(name: ".hidden.csv", bytes: [1 as UInt8])]] {
            let path = try exports.write(try ArchiveWriter.archive(kind, files), to: "a")
            let result = try imported(format, [path])
            // A tar of nothing is only zeros.
            let isTold = result.has("is an archive without a file") || (kind == .tar && files.isEmpty)
            #expect(isTold && !result.report.isClean, "\(result.notes)")
        }
    }

    @Test("an archive with many files is not read without an end", .slow)
    func manyFiles() throws {
        let exports = try Exports()
        let path = try exports.write(
            try ArchiveWriter.archive(.tar, (0...2_000).map { ("\($0).csv", []) }), to: "a.tar")
        #expect(try imported(.dive, [path]).has("more than 2000 files"))
    }
}

@Suite("Import of Sensor Logger's JSON")
struct SensorLoggerJSONTests {
    private static let tables: [String: ([String], [[String]])] = [
        "Pedometer": (
            ["time", "seconds_elapsed", "steps"], (0..<20).map { ["\(1_700_000_000 + $0)000000000", "\($0)", "\($0 * 2)"] }
        ),
        "Barometer": (
            ["time", "seconds_elapsed", "relativeAltitude", "pressure"],
            (0..<20).map { ["\(1_700_000_000 + $0)000000000", "\($0)", "0.\($0)", "1013"] }
        ),
        "Metadata": (["version", "device name", "standardisation"], [["3", "An \"iPhone\", 12\\", "false"]]),
    ]

    private static var folder: [String: String] {
        Dictionary(
            uniqueKeysWithValues: tables.map { name, table in
                let rows = ([table.0] + table.1).map { row in
                    row.map { $0.contains("\"") ? "\"\($0.replacing("\"", with: "\"\""))\"" : $0 }.joined(separator: ",")
                }
                return ("\(name).csv", rows.joined(separator: "\n") + "\n")
            })
    }

    /// The readings of all sensors, by turns.
    private static func objects() -> [[String: Any]] {
        var objects: [[String: Any]] = []
        for index in 0..<20 {
            for (name, table) in tables.sorted(by: { $0.key < $1.key }) where index < table.1.count {
                var object: [String: Any] = ["sensor": name]
                for (key, value) in zip(table.0, table.1[index]) { object[key] = value }
                objects.append(object)
            }
        }
        return objects
    }

    @Test("gives the readings that its folder gives, also in a zip", arguments: [false, true])
    func same(isPretty: Bool) throws {
        let exports = try Exports(Self.folder)
        let expected = try imported(.sensorLogger, [exports.path])
        let json = try JSONSerialization.data(
            withJSONObject: Self.objects(), options: isPretty ? [.prettyPrinted, .sortedKeys] : [])
        let path = try exports.write(json, to: "other.json")
        let zip = try exports.write(try ArchiveWriter.archive(.zip, [("2025/recording.json", Array(json))]), to: "other.zip")
        for path in [path, zip] {
            let result = try imported(.sensorLogger, [path])
            #expect(result.report.isClean, "\(result.notes)")
            for stream in ["pedometer", "altimeter"] {
                let payloads = { (result: Imported) in
                    result.payloads(stream).map { payload in payload.filter { $0.key != "boot" } as NSDictionary }
                }
                #expect(payloads(result) == payloads(expected) && !payloads(result).isEmpty)
            }
            #expect(result.text == (try imported(.sensorLogger, [path])).text)
        }
    }

    @Test("numbers, nulls, nested values and objects that are none cost themselves only")
    func odd() throws {
        let rows = [
            "{\"sensor\":\"Pedometer\",\"time\":1700000000000000000,\"seconds_elapsed\":0,\"steps\":1,\"more\":{\"a\":[1,\"}\"]}}",
            "{\"sensor\":\"Pedometer\" \"steps\":}", "17", "[{\"sensor\":\"Pedometer\"}]", "{}", "{\"sensor\":5,\"x\":null}",
            "{\"steps\":\"2\",\"time\":\"1700000001000000000\",\"sensor\":\"Ped\\u006fmeter\",\"seconds_elapsed\":null}",
            "{\"sensor\":\"a/b\",\"x\":\"\(String(repeating: "x", count: 1 << 17))\"}",
            "{\"sensor\":\"Pedometer\",\"time\":\"soon\",\"steps\":\"3\"}",
        ]
        let result = try imported(.sensorLogger, text: "\u{FEFF}[" + rows.joined(separator: ",\n") + "]")
        let steps = result.payloads("pedometer").flatMap { $0["data"] as? [[String: Any]] ?? [] }.map {
            $0["numberOfSteps"] as? Int
        }
        #expect(steps == [1, 2], "\(result.notes)")
        #expect(result.report.files.first?.bad == 2)
        #expect(result.has("log.csv: byte \(4 + rows[0].utf8.count + 2): what begins here is no reading"))
        #expect(result.has("a quote or a bracket is missing, or it is too long"))
        #expect(result.report.problems == 2)
    }

    @Test("what the first reading of a sensor lacks is read of the others, and what comes late is reported")
    func lateMembers() throws {
        let reading = { (index: Int, rest: String) in
            "{\"sensor\":\"Pedometer\",\"time\":\"\(1_700_000_000 + index)000000000\"\(rest)}"
        }
        let lacking = [reading(0, ""), reading(1, ",\"steps\":\"2\""), reading(2, ",\"steps\":\"4\"")]
        let read = try imported(.sensorLogger, text: "[\(lacking.joined(separator: ","))]")
        #expect(read.report.files.map(\.samples) == [2] && read.report.files.map(\.bad) == [1], "\(read.notes)")
        let many = (0...5000).map { reading($0, ",\"steps\":\"\($0)\"" + ($0 == 5000 ? ",\"late\":\"1\"" : "")) }
        let late = try imported(.sensorLogger, text: "[\(many.joined(separator: ","))]")
        #expect(late.report.files.map(\.samples) == [5001] && late.report.problems == 1, "\(late.notes)")
        #expect(late.has("\"late\" is in a reading of \"Pedometer\" and in none of the first: it is not read"))
    }

    @Test(
        "a damaged place costs its own reading, is reported once with its place, and leaves a bad exit",
        arguments: [
            ("\"steps\":\"8\"", "\"steps\":\"8", 19), ("\"steps\":\"8\"}", "\"steps\":\"8\"", 19), ("}]", "}", 20),
            ("}]", "", 19),
        ])
    func damaged(text: String, other: String, count: Int) throws {
        let rows = (0..<20).map {
            "{\"sensor\":\"Pedometer\",\"time\":\"\(1_700_000_000 + $0)000000000\",\"steps\":\"\($0 * 2)\"}"
        }
        let whole = "[\(rows.joined(separator: ","))]"
        let exports = try Exports(["a.json": whole.replacing(text, with: other)])
        let result = try imported(.sensorLogger, ["\(exports.path)/a.json"])
        #expect(result.report.files.map(\.samples) == [count], "\(result.notes)")
        #expect(result.report.problems == 1 && result.has("a.json: byte"))
        #expect(try imported(.sensorLogger, text: whole).report.isClean)
    }

    @Test("many damaged places are counted")
    func manyFaults() throws {
        let row = "{\"sensor\":\"Pedometer\",\"time\":\"1700000000000000000\",\"steps\":\"1\"}"
        let result = try imported(.sensorLogger, text: "[\(row)\(String(repeating: ",{\"sensor\"}", count: 300)),\(row)]")
        #expect(result.has("295 more places of the JSON are damaged") && result.report.problems == 6, "\(result.notes)")
        let open = try imported(.sensorLogger, text: "[\(row)" + String(repeating: ",{\"a\":\"", count: 40_000))
        #expect(open.report.files.map(\.samples) == [1] && !open.report.isClean)
    }

    @Test("JSON of another kind is refused, and one that is cut short read as far as it goes")
    func others() throws {
        for text in [
            "[]", "[{\"sensor\":\"a/b\"}]", "[1,2]", "{\"sensor\":\"Pedometer\"}", "[{\"time\":1}]", "[{\"sensor\":\"Pedo",
        ] {
            let result = try imported(.sensorLogger, text: text)
            #expect(result.has("Sensor Logger") && result.lines.isEmpty, "\(result.notes)")
            #expect(try !imported(.dive, text: text).report.isClean)
        }
        let json = try JSONSerialization.data(withJSONObject: Self.objects())
        let cut = try imported(.sensorLogger, text: String(decoding: json.prefix(json.count / 2), as: UTF8.self))
        #expect((5...15).contains(cut.report.files.map(\.samples).max() ?? 0), "\(cut.notes)")
    }
}
