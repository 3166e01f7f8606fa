/// An unkeyed container while it is written.
struct UnkeyedWriter: UnkeyedEncodingContainer {
    let core: EncoderCore
    let level: EncoderCore.LevelID

    var codingPath: [any CodingKey] { core.codingPath(to: level) }
    var count: Int { core.count(of: level) }

    mutating func encodeNil() throws {
        _ = try core.addElement(in: level)
        core.writeNil()
    }

    mutating func encode(_ value: some Primitive) throws {
        _ = try core.addElement(in: level)
        value.write(to: core)
    }

    mutating func encode(_ value: some Encodable) throws {
        try core.encode(value, step: core.addElement(in: level))
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        encoder().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }

    mutating func superEncoder() -> any Encoder { encoder() }

    private func encoder() -> ValueEncoder {
        ValueEncoder(core: core, level: core.nest { try core.addElement(in: level) })
    }
}
