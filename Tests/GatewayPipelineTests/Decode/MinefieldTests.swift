import GatewayPipeline
import TelemetryModel
import Testing

/// Payloads that parsers are known to disagree about; ours reads the strict ones alone, also under keys it ignores.
@Suite("Minefield")
struct MinefieldTests {
    static let malformed: [String] = [
        "1,", "[1,]", "[,1]", "[1,,2]", "{\"a\":1,}", "{,}",
        "01", "-01", "+1", "0x1F", "1.", ".5", "-", "1e", "1e+", "1_000", "123456789012345678901234567890",
        "-9223372036854775809", "/* c */ 1", "1 // c", "# c\n1", "'a'", "{'a':1}", "{a:1}", "{1:1}", "{\"a\"}", "{\"a\":}",
        "{\"a\" 1}", "{\"a\":1 \"b\":2}", "[1 2]", "[1", "{", "\"", "\"\t\"", "\"\n\"", "\"\u{0}\"", "\"\u{1f}\"", "\"\\x41\"",
        "\"\\u12\"", "\"\\u12G4\"", "\"\\'\"", "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"\\ud800\\ud800\"",
        "\"\\udc00\\ud800\"", "\"\\ud83d\"", "True", "tru", "truee", "nul", "undefined", "1}{\"b\":1", "1} {}", "1}x", "1}\u{0}",
        "]", "}", "\u{feff}1", "\u{a0}1", "\u{c}1",
    ]

    @Test(arguments: malformed)
    func `Malformed JSON is refused even under an unknown key`(text: String) {
        let rejection = Decoding.rejection(.workout, SampleFrames.workout.with("/extra", text))
        #expect(rejection?.reason == .malformedJSON)
        #expect(rejection?.pointer == "")
    }

    @Test(arguments: ["NaN", "nan", "Infinity", "-Infinity", "-NaN", "1e999", "-1e999", "[1,NaN]"])
    func `A number that is not finite is refused as such`(text: String) {
        let rejection = Decoding.rejection(.workout, SampleFrames.workout.with("/extra", text))
        #expect(rejection?.reason == .notFinite)
    }

    @Test(arguments: [#""NaN", "a":1,}"#, #""1e999"]"#, #""\"NaN" 1"#])
    func `The same words within a text are no numbers`(text: String) {
        #expect(Decoding.rejection(.workout, SampleFrames.workout.with("/extra", text))?.reason == .malformedJSON)
    }

    static let wellFormed: [String] = [
        "1e308", "-1e308", "1e-400", "5e-324", "-0", "-0.0", "1E+2", "18446744073709551615", "\"\\u0000\"", "\"\\ud83d\\ude00\"",
        "\"\u{7f}\"", "\"\\/\"", "[]", "{}", "[ ]", "\"\u{feff}\"", "{\"\":{\"\":1}}", "{\"a\\u0000b\":1,\"a\\u0000c\":2}",
        "\t\r\n 1 \t\r\n",
    ]

    @Test(arguments: wellFormed)
    func `Odd but well-formed JSON is let through under an unknown key`(text: String) throws {
        _ = try Decoding.frame(.workout, SampleFrames.workout.with("/extra", text))
    }

    static let invalidUTF8: [[UInt8]] = [
        [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xF0, 0x80, 0x80, 0xAF], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
        [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0x80], [0xE2, 0x82], [0xC3],
    ]

    @Test(arguments: invalidUTF8)
    func `Bytes that are not UTF-8 are refused`(bytes: [UInt8]) {
        let good = SampleFrames.workout.with("/extra", "\"?\"").payload
        let place = good.lastIndex(of: UInt8(ascii: "?")) ?? 0
        let rejection = #expect(throws: Rejection.self) {
            try Decoding.decode(.workout, good[..<place] + bytes + good[(place + 1)...], contentType: "application/json")
        }
        #expect(rejection?.reason == .invalidUTF8)
    }

    @Test(arguments: [nil, "application/json"])
    func `Byte order marks and UTF-16 are refused`(contentType: String?) {
        let text = SampleFrames.workout.text
        let littleEndian = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let bigEndian = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        for (payload, reason) in [
            ([0xEF, 0xBB, 0xBF] + Array(text.utf8), RejectionReason.invalidUTF8), ([0xFF, 0xFE] + littleEndian, .invalidUTF8),
            ([0xFE, 0xFF] + bigEndian, .invalidUTF8), (littleEndian, .malformedJSON),
            (bigEndian, contentType == nil ? .unsupportedContentType : .malformedJSON),
        ] {
            let rejection = #expect(throws: Rejection.self) {
                try Decoding.decode(.workout, payload, contentType: contentType)
            }
            #expect(rejection?.reason == reason)
        }
    }

    @Test(arguments: [("[", "]", ""), ("[", "]", "1"), ("{\"a\":", "}", "1"), ("{\"a\":", "}", "{}"), ("[{\"a\":", "}]", "[]")])
    func `Nesting is counted exactly`(open: String, close: String, inside: String) throws {
        let levels = open == "[{\"a\":" ? 2 : 1
        let ownLevels = inside == "1" || inside == "" ? 0 : 1
        for depth in 1...24 where depth % levels == 0 {
            let text = String(repeating: open, count: depth / levels) + inside + String(repeating: close, count: depth / levels)
            let frame = SampleFrames.workout.with("/extra", text)
            if 1 + depth + ownLevels <= 16 {
                _ = try Decoding.frame(.workout, frame)
            } else {
                #expect(Decoding.rejection(.workout, frame)?.reason == .nestedTooDeep)
            }
        }
    }

    @Test func `A hundred thousand levels are refused, closed or not`() {
        for text in [
            String(repeating: "[", count: 100_000),
            String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000),
        ] {
            #expect(Decoding.rejection(.workout, SampleFrames.workout.with("/extra", text))?.reason == .nestedTooDeep)
        }
    }

    static let duplicates: [(String, String)] = [
        ("{\"a\":1,\"a\":1}", "/extra/a"), ("{\"a\":1,\"\\u0061\":2}", "/extra/a"), ("{\"\":1,\"\":2}", "/extra/"),
        ("[0,{\"b\":{},\"c\":[{\"~/\":1,\"~\\/\":2}]}]", "/extra/1/c/0/~0~1"),
        ("{\"a\\n\":1,\"a\\u000a\":2}", "/extra/a\\u{a}"),
    ]

    @Test(arguments: duplicates)
    func `A key named twice is refused at any depth`(text: String, pointer: String) {
        let rejection = Decoding.rejection(.workout, SampleFrames.workout.with("/extra", text))
        #expect(rejection?.reason == .duplicateKey)
        #expect(rejection?.pointer == pointer)
    }

    @Test func `A field of the header named twice is refused`() {
        let text = SampleFrames.workout.text.dropLast() + ",\"seq\":43}"
        let rejection = Decoding.rejection(.workout, .raw(String(text)))
        #expect(rejection?.reason == .duplicateKey)
        #expect(rejection?.pointer == "/seq")
    }

    @Test func `A key named twice among thousands is found`() throws {
        let members = (0..<3000).map { "\"key-\($0)\":\($0)" }.joined(separator: ",")
        _ = try Decoding.frame(.workout, SampleFrames.workout.with("/extra", "{\(members)}"))
        let rejection = Decoding.rejection(
            .workout, SampleFrames.workout.with("/extra", "{\(members),\"key-2000\":0,\"key-7\":0}"))
        #expect(rejection?.reason == .duplicateKey)
        #expect(rejection?.pointer == "/extra/key-2000")
    }
}
