/// A keyed container while it is read.
struct KeyedReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let core: DecoderCore
    let fields: DecoderCore.Fields

    var codingPath: [any CodingKey] { core.codingPath(depth: fields.depth) }
    var allKeys: [Key] { core.names(in: fields).compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { core.find(key.stringValue, in: fields) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try core.tag(at: spot(key)) == .null }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try core.boolean(at: spot(key)) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try core.string(at: spot(key)) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try core.double(at: spot(key)) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try core.float(at: spot(key)) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try core.integer(at: spot(key)) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try core.integer(at: spot(key)) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try core.integer(at: spot(key)) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try core.integer(at: spot(key)) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try core.integer(at: spot(key)) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try core.integer(at: spot(key)) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try core.integer(at: spot(key)) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try core.integer(at: spot(key)) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try core.integer(at: spot(key)) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try core.integer(at: spot(key)) }

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
