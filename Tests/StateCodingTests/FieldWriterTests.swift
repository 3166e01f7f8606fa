import StateCoding
import Testing

@Suite("Values that write their fields themselves")
struct FieldWriterTests {
    @Test("their document is the one that synthesized code writes, and reads back")
    func sameDocument() throws {
        #expect(try StateCoder.encode(Written()) == StateCoder.encode(Synthesized()))
        #expect(try copy(Written()) == Written())
        #expect(try copy([Written(), Written(absent: 3)]) == [Written(), Written(absent: 3)])
    }

    @Test("numbers in single precision are written, and fields that are 0 may be left out")
    func zeros() throws {
        #expect(try copy(Sparse()) == Sparse())
        #expect(try copy(Sparse(count: -1, size: 0.5, flag: true)) == Sparse(count: -1, size: 0.5, flag: true))
        let difference = try StateCoder.encode(Sparse(count: 1, size: 0.5, flag: true)).count - StateCoder.encode(Sparse()).count
        #expect(difference > 15)
    }

    @Test("an error ends the document even when the value catches it")
    func errors() {
        #expect(throws: StateCodingError.self) { try StateCoder.encode(Catching()) }
    }
}

private struct Key: Hashable, Codable {
    var text: String

    init(_ text: String) { self.text = text }
    init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

private enum Level: Int, Codable { case low, high }

private struct Synthesized: Codable, Equatable {
    struct Inner: Codable, Equatable { var x = 1.5, name = "inner", next: Int? = nil }

    var flag = true, count = -3, serial = UInt64.max, number = -0.5, text = "a text of more than fifteen bytes"
    var stream = Stream.motion, level = Level.high, columns = [1.0, .infinity], integers = [1, -1]
    var inner = Inner(), list = [Inner(), Inner(next: 2)], empty: [Inner] = []
    var table = [Key("k"): Inner()], phase = Phase.moving(speed: 2, since: nil)
    var absent: Int?
    var someFlag: Bool? = false, someCount: Int? = 7, someSerial: UInt64? = 8, someNumber: Double? = 9, someText: String? = "t"
    var someStream: Stream? = .depth, someLevel: Level? = .low, someInner: Inner? = Inner(), somePhase: Phase? = .idle
}

private struct Written: Codable, Equatable, FieldEncodable {
    struct Inner: Codable, Equatable, FieldEncodable {
        var x = 1.5, name = "inner", next: Int? = nil

        func write(to fields: FieldWriter) throws {
            try fields.write("x", x)
            try fields.write("name", name)
            try fields.write("next", next)
        }
    }

    var flag = true, count = -3, serial = UInt64.max, number = -0.5, text = "a text of more than fifteen bytes"
    var stream = Stream.motion, level = Level.high, columns = [1.0, .infinity], integers = [1, -1]
    var inner = Inner(), list = [Inner(), Inner(next: 2)], empty: [Inner] = []
    var table = [Key("k"): Inner()], phase = Phase.moving(speed: 2, since: nil)
    var absent: Int?
    var someFlag: Bool? = false, someCount: Int? = 7, someSerial: UInt64? = 8, someNumber: Double? = 9, someText: String? = "t"
    var someStream: Stream? = .depth, someLevel: Level? = .low, someInner: Inner? = Inner(), somePhase: Phase? = .idle

    func write(to fields: FieldWriter) throws {
        try fields.write("flag", flag)
        try fields.write("count", count)
        try fields.write("serial", serial)
        try fields.write("number", number)
        try fields.write("text", text)
        try fields.write("stream", stream)
        try fields.write("level", level)
        try fields.write("columns", columns)
        try fields.write("integers", integers)
        try fields.write("inner", inner)
        try fields.write("list", list)
        try fields.write("empty", empty)
        try fields.write("table", table, by: \.text)
        try fields.write("phase", phase)
        try fields.write("absent", absent)
        try fields.write("someFlag", someFlag)
        try fields.write("someCount", someCount)
        try fields.write("someSerial", someSerial)
        try fields.write("someNumber", someNumber)
        try fields.write("someText", someText)
        try fields.write("someStream", someStream)
        try fields.write("someLevel", someLevel)
        try fields.write("someInner", someInner)
        try fields.write("somePhase", somePhase)
    }
}

private struct Sparse: FieldEncodable, Decodable, Equatable {
    var count = 0, size = 0.0, flag = false, column: [Float] = [0.5, -.infinity]

    enum CodingKeys: CodingKey { case count, size, flag, column }

    init(count: Int = 0, size: Double = 0, flag: Bool = false) { (self.count, self.size, self.flag) = (count, size, flag) }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        count = try container.decodeIfPresent(Int.self, forKey: .count) ?? 0
        size = try container.decodeIfPresent(Double.self, forKey: .size) ?? 0
        flag = try container.decodeIfPresent(Bool.self, forKey: .flag) ?? false
        column = try container.decode([Float].self, forKey: .column)
    }

    func write(to fields: FieldWriter) throws {
        try fields.write(nonzero: "count", count)
        try fields.write(nonzero: "size", size)
        try fields.write(nonzero: "flag", flag)
        try fields.write("column", column)
    }
}

private struct Catching: FieldEncodable {
    struct Failing: Encodable {
        struct Refusal: Error {}

        func encode(to encoder: any Encoder) throws { throw Refusal() }
    }

    func write(to fields: FieldWriter) throws {
        try? fields.write("failing", Failing())
        try? fields.write("more", 1)
    }
}
