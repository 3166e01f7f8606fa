import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

/// Payloads that parsers treat differently; only the strict ones are accepted, also under ignored keys.
@Suite("Strictness of JSON")
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
        #expect(rejection?.pointer.isEmpty == true || rejection?.pointer.hasPrefix("/extra") == true)
        #expect(rejection?.detail.contains(" at byte ") == true)
    }

    @Test(.slow) func `A syntax error is refused with its byte and its place`() {
        for (stream, frame) in SampleFrames.all {
            for place in frame.places {
                for word in ["zzz", "NaN", "0777", "1e999", "'x'"] {
                    let text = frame.with(place.pointer, word).text
                    let start = text.utf8.firstRange(of: word.utf8)?.lowerBound
                    let byte = start.map { text.utf8.distance(from: text.startIndex, to: $0) }
                    let rejection = Decoding.rejection(stream, .raw(text))
                    #expect(rejection?.pointer == place.pointer, "\(word)")
                    #expect(rejection?.detail.hasSuffix(" at byte \(byte ?? -1)") == true, "\(text): \(rejection?.detail ?? "")")
                }
            }
        }
    }

    @Test(arguments: [
        (#"{"a":[1,{"b":tru}]}"#, "/a/1/b", #""tru" is no value of JSON at byte 13"#),
        (#"{"a":1,}"#, "", "expected a key in quotation marks at byte 7"),
        (#"{"a" 1}"#, "/a", "expected : after the key at byte 5"),
        (#"{"a":[1,]}"#, "/a/1", "expected a value at byte 8"),
        (#"{"a":[1 2]}"#, "/a/0", "expected , or ] after the value at byte 8"),
        (#"{"a":1 "b":2}"#, "/a", "expected , or } after the value at byte 7"),
        (#"{"a":1}}"#, "", "something follows the value at byte 7"),
        (#"{"~/":"x"#, "/~0~1", "a string is not closed at byte 6"),
        (#"{"a":"\x"}"#, "/a", "a string holds a bad escape at byte 6"),
        ("{\"a\":\"\t\"}", "/a", "a string holds a bare control character at byte 6"), (#"{"a":{"#, "/a", "expected a key"),
        (#"{"a":[[]"#, "/a/0", "the text ends within an array at byte 8"),
        (#"{"a":"#, "/a", "the text ends where a value was expected"),
        (#"{"a":18446744073709551616}"#, "/a", "a number is too large at byte 5"),
        (
            #"{"a":[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]}"#, "/a/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0",
            "nested more than 16 deep at byte 20"
        ),
    ])
    func `A syntax error is described`(text: String, pointer: String, detail: String) {
        let rejection = Decoding.rejection(.workout, .raw(text))
        #expect(rejection?.pointer == pointer)
        #expect(rejection?.detail.hasPrefix(detail) == true, "\(rejection?.detail ?? "")")
    }

    @Test(.slow) func `A frame that is cut off is refused with its end`() {
        for (stream, frame) in SampleFrames.all {
            for length in 1..<frame.payload.count {
                let rejection = #expect(throws: Rejection.self) { try Decoding.decode(stream, Array(frame.payload[..<length])) }
                #expect(rejection?.detail.contains(" at byte ") == true, "\(length)")
            }
        }
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
    func `Unusual but well-formed JSON is accepted under an unknown key`(text: String) throws {
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
        #expect(rejection?.detail == "not valid UTF-8 at byte \(place)")
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
