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

    func decode<T: Primitive>(_ type: T.Type) throws -> T { try T.read(at: spot, in: core) }

    func decode<T: Decodable>(_ type: T.Type) throws -> T { try core.decode(type, at: core.wrapped(in: spot)) }
}
