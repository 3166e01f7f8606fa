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

    mutating func encode(_ value: Bool) throws {
        _ = try core.addElement(in: level)
        core.write(value)
    }

    mutating func encode(_ value: String) throws {
        _ = try core.addElement(in: level)
        core.write(value)
    }

    mutating func encode(_ value: Double) throws {
        _ = try core.addElement(in: level)
        core.write(value)
    }

    mutating func encode(_ value: Float) throws {
        _ = try core.addElement(in: level)
        core.write(value)
    }

    mutating func encode(_ value: Int) throws {
        _ = try core.addElement(in: level)
        core.write(signed: Int64(value))
    }

    mutating func encode(_ value: Int8) throws {
        _ = try core.addElement(in: level)
        core.write(signed: Int64(value))
    }

    mutating func encode(_ value: Int16) throws {
        _ = try core.addElement(in: level)
        core.write(signed: Int64(value))
    }

    mutating func encode(_ value: Int32) throws {
        _ = try core.addElement(in: level)
        core.write(signed: Int64(value))
    }

    mutating func encode(_ value: Int64) throws {
        _ = try core.addElement(in: level)
        core.write(signed: value)
    }

    mutating func encode(_ value: UInt) throws {
        _ = try core.addElement(in: level)
        core.write(unsigned: UInt64(value))
    }

    mutating func encode(_ value: UInt8) throws {
        _ = try core.addElement(in: level)
        core.write(unsigned: UInt64(value))
    }

    mutating func encode(_ value: UInt16) throws {
        _ = try core.addElement(in: level)
        core.write(unsigned: UInt64(value))
    }

    mutating func encode(_ value: UInt32) throws {
        _ = try core.addElement(in: level)
        core.write(unsigned: UInt64(value))
    }

    mutating func encode(_ value: UInt64) throws {
        _ = try core.addElement(in: level)
        core.write(unsigned: value)
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
