/// The decoder of one value.
struct ValueDecoder: Decoder {
    let core: DecoderCore
    let spot: DecoderCore.Spot

    var codingPath: [any CodingKey] { core.codingPath(depth: spot.depth) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(KeyedReader<Key>(core: core, fields: try core.fields(at: spot)))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        UnkeyedReader(core: core, depth: spot.depth, contents: try core.contents(.unkeyed, [Any].self, at: spot))
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { SingleValueReader(core: core, spot: spot) }
}

/// A single value while it is read.
struct SingleValueReader: SingleValueDecodingContainer {
    let core: DecoderCore
    let spot: DecoderCore.Spot

    var codingPath: [any CodingKey] { core.codingPath(depth: spot.depth) }

    func decodeNil() -> Bool { (try? core.tag(at: spot)) == .null }

    func decode(_ type: Bool.Type) throws -> Bool { try core.boolean(at: spot) }
    func decode(_ type: String.Type) throws -> String { try core.string(at: spot) }
    func decode(_ type: Double.Type) throws -> Double { try core.double(at: spot) }
    func decode(_ type: Float.Type) throws -> Float { try core.float(at: spot) }
    func decode(_ type: Int.Type) throws -> Int { try core.integer(at: spot) }
    func decode(_ type: Int8.Type) throws -> Int8 { try core.integer(at: spot) }
    func decode(_ type: Int16.Type) throws -> Int16 { try core.integer(at: spot) }
    func decode(_ type: Int32.Type) throws -> Int32 { try core.integer(at: spot) }
    func decode(_ type: Int64.Type) throws -> Int64 { try core.integer(at: spot) }
    func decode(_ type: UInt.Type) throws -> UInt { try core.integer(at: spot) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try core.integer(at: spot) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try core.integer(at: spot) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try core.integer(at: spot) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try core.integer(at: spot) }

    func decode<T: Decodable>(_ type: T.Type) throws -> T { try core.decode(type, at: core.wrapped(in: spot)) }
}
