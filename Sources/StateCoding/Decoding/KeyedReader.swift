/// A keyed container while it is read.
struct KeyedReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let core: DecoderCore
    let fields: DecoderCore.Fields

    var codingPath: [any CodingKey] { core.codingPath(depth: fields.depth) }
    var allKeys: [Key] { core.names(in: fields).compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { core.find(key.stringValue, in: fields) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try core.tag(at: spot(key)) == .null }

    func decode<T: Primitive>(_ type: T.Type, forKey key: Key) throws -> T { try T.read(at: spot(key), in: core) }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try core.decode(type, at: spot(key)) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try decoder(PathKey.superclass) }

    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

    private func decoder(_ key: some CodingKey) throws -> ValueDecoder { try core.decoder(at: spot(key)) }

    private func spot(_ key: some CodingKey) throws -> DecoderCore.Spot {
        guard let spot = core.find(key.stringValue, in: fields) else {
            let context = DecodingError.Context(codingPath: codingPath, debugDescription: "missing")
            throw DecodingError.keyNotFound(key, context)
        }
        return spot
    }
}
