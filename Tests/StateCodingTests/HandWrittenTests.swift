import StateCoding
import Testing

@Suite("State coding: hand-written conformances")
struct HandWrittenTests {
    @Test("a class writes its superclass with it")
    func superclass() throws {
        let value = Derived()
        value.base = 7
        value.own = 8
        let read = try copy(value)
        #expect(read.base == 7)
        #expect(read.own == 8)
    }

    @Test("containers inside containers come back in order")
    func nested() throws { try expectCopy(Nesting(rows: [["a": 1], [:], ["b": 2]])) }

    @Test("two containers of one value share its keys")
    func shared() throws { try expectCopy(Split(a: 1, b: 2)) }

    @Test("a value that writes nothing is an empty container")
    func nothing() throws { try expectCopy([Silent(), Silent()]) }

    @Test(
        "what cannot be kept is refused, even when the error is caught",
        arguments: [Unruly.Way.twice, .kinds, .late, .caught])
    func unruly(way: Unruly.Way) {
        #expect(throws: StateCodingError.self) { try StateCoder.encode([Unruly(way: way)]) }
    }
}

private class Base: Codable { var base = 1 }

private final class Derived: Base {
    var own = 2

    private enum CodingKeys: String, CodingKey { case own }

    override init() { super.init() }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        own = try container.decode(Int.self, forKey: .own)
        try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try super.encode(to: container.superEncoder())
        try container.encode(own, forKey: .own)
    }
}

private struct Nesting: Codable, Equatable {
    var rows: [[String: Int]]

    enum CodingKeys: CodingKey { case first, rows, last }

    init(rows: [[String: Int]]) { self.rows = rows }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        var list = try container.nestedUnkeyedContainer(forKey: .rows)
        rows = []
        #expect(list.count == 3)
        while !list.isAtEnd {
            #expect(list.currentIndex == rows.count)
            #expect(throws: DecodingError.self) { try list.decode(Int.self) }
            let row = try list.nestedContainer(keyedBy: Name.self)
            rows.append(try row.allKeys.reduce(into: [:]) { $0[$1.stringValue] = try row.decode(Int.self, forKey: $1) })
        }
        #expect(throws: DecodingError.self) { try list.decode(Int.self) }
        #expect(try container.decodeNil(forKey: .first))
        #expect(try container.decode(Bool.self, forKey: .last))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeNil(forKey: .first)
        var list = container.nestedUnkeyedContainer(forKey: .rows)
        for row in rows {
            var nested = list.nestedContainer(keyedBy: Name.self)
            for (name, value) in row { try nested.encode(value, forKey: Name(stringValue: name)) }
        }
        #expect(list.count == rows.count)
        try container.encode(true, forKey: .last)
    }

    struct Name: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

private struct Split: Codable, Equatable {
    var a, b: Int

    enum CodingKeys: CodingKey { case a, b }

    init(a: Int, b: Int) { (self.a, self.b) = (a, b) }

    func encode(to encoder: any Encoder) throws {
        var first = encoder.container(keyedBy: CodingKeys.self)
        try first.encode(a, forKey: .a)
        var second = encoder.container(keyedBy: CodingKeys.self)
        try second.encode(b, forKey: .b)
    }
}

private struct Silent: Codable, Equatable {
    init() {}
    init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: Split.CodingKeys.self) }
    func encode(to encoder: any Encoder) throws {}
}

struct Unruly: Encodable {
    enum Way: String, CodingKey { case twice, kinds, late, caught }
    struct Refusal: Error {}
    struct Refusing: Encodable { func encode(to encoder: any Encoder) throws { throw Refusal() } }

    var way: Way

    func encode(to encoder: any Encoder) throws {
        switch way {
        case .twice:
            var container = encoder.singleValueContainer()
            try container.encode(1)
            try container.encode(2)
        case .kinds:
            _ = encoder.container(keyedBy: Way.self)
            _ = encoder.unkeyedContainer()
        case .late:
            var container = encoder.unkeyedContainer()
            var nested = container.nestedUnkeyedContainer()
            try container.encode(1)
            try nested.encode(2)
        case .caught:
            var container = encoder.container(keyedBy: Way.self)
            try? container.encode(Refusing(), forKey: .caught)
        }
    }
}
