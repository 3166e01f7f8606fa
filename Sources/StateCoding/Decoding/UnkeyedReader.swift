/// An unkeyed container while it is read; a value that cannot be read is not passed.
struct UnkeyedReader: UnkeyedDecodingContainer {
    let core: DecoderCore
    /// The number of steps to the container.
    let depth: Int
    /// Where the next element starts, and where the last one ends.
    private(set) var offset: Int
    let end: Int
    private(set) var currentIndex = 0

    init(core: DecoderCore, depth: Int, contents: Range<Int>) {
        self.core = core
        self.depth = depth
        offset = contents.lowerBound
        end = contents.upperBound
    }

    var codingPath: [any CodingKey] { core.codingPath(depth: depth) }
    var isAtEnd: Bool { offset >= end }

    /// Counted afresh each time; nil when the contents are malformed.
    var count: Int? {
        var count = currentIndex
        var offset = offset
        while offset < end {
            guard let next = core.bytes.end(ofValueAt: offset, limit: end) else { return nil }
            offset = next
            count += 1
        }
        return count
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd else { throw core.atEnd(Any?.self, depth: depth) }
        let next = try next()
        guard try core.tag(at: next.spot) == .null else { return false }
        pass(next.end)
        return true
    }

    mutating func decode<T: Primitive>(_ type: T.Type) throws -> T { try read { try T.read(at: $1, in: $0) } }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try read { try $0.decode(type, at: $1) } }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
        try read { try $0.decoder(at: $1).container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try read { try $0.decoder(at: $1).unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try read { try $0.decoder(at: $1) } }

    private mutating func read<Value>(_ body: (DecoderCore, DecoderCore.Spot) throws -> Value) throws -> Value {
        guard !isAtEnd else { throw core.atEnd(Value.self, depth: depth) }
        let next = try next()
        let value = try body(core, next.spot)
        pass(next.end)
        return value
    }

    private func next() throws -> (spot: DecoderCore.Spot, end: Int) {
        try core.element(currentIndex, at: offset, limit: end, depth: depth)
    }

    private mutating func pass(_ end: Int) {
        offset = end
        currentIndex += 1
    }
}
