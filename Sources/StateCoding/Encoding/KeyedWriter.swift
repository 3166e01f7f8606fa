/// A keyed container while it is written.
struct KeyedWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let core: EncoderCore
    let level: EncoderCore.LevelID

    var codingPath: [any CodingKey] { core.codingPath(to: level) }

    mutating func encodeNil(forKey key: Key) throws {
        _ = try core.writeKey(key.stringValue, in: level)
        core.writeNil()
    }

    mutating func encode(_ value: some Primitive, forKey key: Key) throws {
        _ = try core.writeKey(key.stringValue, in: level)
        value.write(to: core)
    }

    mutating func encode(_ value: some Encodable, forKey key: Key) throws {
        try core.encode(value, step: core.writeKey(key.stringValue, in: level))
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        encoder(key).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder(key).unkeyedContainer() }

    mutating func superEncoder() -> any Encoder { encoder(PathKey.superclass) }

    mutating func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }

    private func encoder(_ key: some CodingKey) -> ValueEncoder {
        ValueEncoder(core: core, level: core.nest { try core.writeKey(key.stringValue, in: level) })
    }
}
