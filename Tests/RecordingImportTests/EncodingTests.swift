import Foundation
@testable import RecordingImport
import Testing

@Suite("Encodings and faults of exports")
struct EncodingTests {
    /// UTF-16 as it is written.
    enum Wide: CaseIterable {
        case littleWithMark, bigWithMark, little, big

        func bytes(_ text: String) -> [UInt8] {
            let isBig = self == .big || self == .bigWithMark
            let units = (self == .littleWithMark || self == .bigWithMark ? [0xFEFF] : []) + Array(text.utf16)
            return units.flatMap { isBig ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        }
    }

    private static let dives = [WrittenDive(start: 1_767_258_000, samples: [(10, 1.5, 18), (20, 3.2, nil), (70, 0, nil)])]
    private static let texts: [(name: String, text: String)] =
        DiveWriter.allCases.map { ("log", $0.text(dives).replacing("utf-8", with: "utf-16")) } + [
            ("log", "time (s),depth (m),temperature (°C)\n0,1,18\n1,2,18\n2,0.1,18\n"),
            ("WristMotion.csv", Motion.sensorLogger(Motion.series(20, every: 0.02))),
            (
                "r.json",
                "["
                    + (0..<9).map {
                        "{\"sensor\":\"Pedometer\",\"time\":\"17000000\($0)0000000000\",\"seconds_elapsed\":\"0\",\"steps\":\"\($0)\",\"é\":\"\u{1F600}\"}"
                    }
                    .joined(separator: ",") + "]"
            ),
        ]

    @Test("UTF-16 of every format is read, with a mark and without", arguments: texts.indices, Wide.allCases)
    func wide(index: Int, wide: Wide) throws {
        let (name, text) = Self.texts[index]
        let exports = try Exports(["a": ""])
        let plain = try imported([try exports.write(Data(text.utf8), to: name)])
        #expect(plain.report.isClean && plain.report.files.map(\.samples).max() ?? 0 > 2, "\(plain.notes)")
        let path = try exports.write(Data(wide.bytes(text)), to: name)
        let result = try imported([path])
        #expect(result.text == plain.text && result.notes == plain.notes, "\(result.notes)")
        let packed = try exports.write(ArchiveWriter.gz(wide.bytes(text)), to: "\(name == "log" ? name : name + ".gz")")
        if name != "r.json" { #expect(try imported([packed]).text == plain.text) }
    }

    private final class Pieces: ByteSource {
        private var bytes: ArraySlice<UInt8>
        private let count: Int

        init(_ bytes: [UInt8], of count: Int) { (self.bytes, self.count) = (bytes[...], count) }

        func next() -> [UInt8] {
            defer { bytes = bytes.dropFirst(count) }
            return Array(bytes.prefix(count))
        }
    }

    private func all(_ source: any ByteSource) throws -> String {
        var bytes: [UInt8] = []
        while case let piece = try source.next(), !piece.isEmpty { bytes += piece }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("UTF-16 is the same text whatever the pieces it comes in", arguments: [1, 2, 3, 7, 1000], Wide.allCases)
    func pieces(count: Int, wide: Wide) throws {
        let text = "depth in m, \u{1F600}\u{1F600} é " + String(repeating: "ö\u{1F30A}", count: 50)
        #expect(try all(TextBytes(Pieces(wide.bytes(text), of: count))) == text)
        #expect(try all(TextBytes(Pieces(Array(text.utf8), of: count))) == text)
        // Half a character at the end, and one that lacks its second half.
        #expect(try all(TextBytes(Pieces(wide.bytes(text) + [0x41], of: count))) == text + "\u{FFFD}")
        let broken = wide.bytes(text).dropLast(2)
        #expect(try all(TextBytes(Pieces(Array(broken), of: count))).hasSuffix("ö\u{FFFD}"))
    }

    @Test("bytes that are no UTF-16 stay as they are")
    func others() throws {
        let zeros: [UInt8] = Array(repeating: 0, count: 20)
        for bytes: [UInt8] in [
            [], [1], [0xFF], zeros, [14, 0x20, 0x54, 8, 1, 0, 0, 0] + Array(".FIT".utf8), [0, 1, 0, 2, 3, 0] + zeros,
        ] {
            let source = TextBytes(Pieces(bytes, of: 3))
            var read: [UInt8] = []
            while case let piece = try source.next(), !piece.isEmpty { read += piece }
            #expect(read == bytes)
        }
    }

    private func cleaned(_ bytes: [UInt8], pieces: Int = 1000) throws -> (text: String, blanked: Int) {
        let source = Pieces(bytes, of: pieces)
        var text = XMLText(file: "x") { () throws(ImportProblem) in source.next() }
        var result: [UInt8] = []
        while case let piece = try text.next(), !piece.isEmpty { result += piece }
        return (String(decoding: result, as: UTF8.self), text.blanked)
    }

    @Test(
        "what XML does not allow is blanked and counted",
        arguments: [
            ("<a b='\u{B}x\u{0}\u{1F}'/>", "<a b=' x  '/>", 3),
            ("<a>&#11;&#x0B;&#xFFFF;&#x41;&amp;</a>", "<a>                   &#x41;&amp;</a>", 3),
            ("<a>\t\r\n é \u{1F600}</a>", "<a>\t\r\n é \u{1F600}</a>", 0),
            ("<a>A & B, &c; &#; &</a>", "<a>A   B,  c;      </a>", 4),
            ("<a>\u{FFFE}</a>", "<a>   </a>", 1),
            ("<?xml version='1.0' encoding='utf-16'?><a/>", "<?xml version='1.0' encoding='utf-8' ?><a/>", 0),
            ("<!DOCTYPE a [\n<!ENTITY b 'c]>'>\n<!-- ]> ' -->\n<!ATTLIST a\n<!ELEMENT b>\n]>\n<a/>", "\n\n\n\n\n\n<a/>", 0),
            ("<!DOCTYPE a SYSTEM 'x>y'><a/>", "<a/>", 0), ("no XML", "no XML", 0), ("", "", 0),
        ], [1, 2, 5, 1000])
    func faults(example: (String, String, Int), pieces: Int) throws {
        let (text, expected, count) = example
        let result = try cleaned(Array(text.utf8), pieces: pieces)
        // The document type becomes blanks.
        let isSame = result.text == expected || (text.hasPrefix("<!D") && result.text.filter { $0 != " " } == expected)
        #expect(isSame && result.blanked == count, "\(result)")
        #expect(result.text.utf8.count == text.utf8.count)
    }

    @Test("bytes that are no UTF-8 are blanked where the file is UTF-8, and only there")
    func brokenBytes() throws {
        let bytes = Array("<a>M".utf8) + [0xFC, 0x6C, 0xED, 0xA0, 0x80, 0xC3] + Array("</a>".utf8)
        #expect(try cleaned(bytes) == ("<a>M l    </a>", 5))
        let latin = Array("<?xml version='1.0' encoding='ISO-8859-1'?>".utf8) + bytes
        #expect(try cleaned(latin).blanked == 0)
    }

    @Test("a document type without an end is no file without one")
    func endless() throws {
        let result = try imported(.dive, text: "<uddf/>" + "<!DOCTYPE")
        #expect(!result.report.isClean)
        let endless = Array("<!DOCTYPE a [".utf8) + Array(repeating: UInt8(ascii: "x"), count: 2 << 20)
        #expect(throws: ImportProblem.self) { try cleaned(endless, pieces: 1 << 17) }
    }

    @Test(
        "a fault in the middle is not the end of the file",
        arguments: [("<a b='1' b='2'/>", false), ("<a", true), ("<a><b>", true)])
    func early(text: String, isEnd: Bool) throws {
        let result = try imported(.dive, text: "<uddf>" + text)
        #expect(result.has(isEnd ? "the XML ends too early" : "is no XML from here on"), "\(result.notes)")
    }

    @Test(
        "an export of Apple Health of iOS 16, whose document type is damaged, is read with all that is behind a control character"
    )
    func health() throws {
        let record = { (second: Int, source: String) in
            "<Record type=\"HKQuantityTypeIdentifierUnderwaterDepth\" sourceName=\"\(source)\" unit=\"m\" startDate=\"2026-01-02 10:00:0\(second) "
                + "+0100\" endDate=\"2026-01-02 10:00:0\(second) +0100\" value=\"\(second)\"/>\n"
        }
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE HealthData [
            <!-- HealthKit Export Version: 12 -->
            <!ELEMENT HealthData (ExportDate,Me,(Record|Workout)*)>
            <!ATTLIST Prescription
              brand CDATA #IMPLIED
            <!ELEMENT RightEye EMPTY>
              device CDATA #IMPLIED
            >
            ]>
            <HealthData locale="en_GB">
            \(record(1, "Anna"))\(record(2, "An\u{B}na & Co"))\(record(3, "Anna"))</HealthData>
            """
        let exports = try Exports(["export.xml": text])
        let result = try imported([exports.path])
        #expect(result.report.isClean && result.report.files.map(\.samples) == [2, 1], "\(result.notes)")
        #expect(
            result.has("export.xml: 2 characters that XML does not allow, and & that stand for themselves, are read as blanks"))
    }

    @Test("any number of blank lines is passed over, and lines keep their numbers")
    func blankLines() throws {
        let blanks = String(repeating: " \r\n\n", count: 200_000)
        let result = try imported(.dive, text: "\(blanks)time (s),depth (m)\n\(blanks)0,1\n\(blanks)x,2\n1,0.1\n\(blanks)")
        #expect(result.report.files.map(\.samples) == [2], "\(result.notes)")
        #expect(result.has("log.csv:1200003: "))
    }
}
