/// The place of a single value while it is written.
struct SingleValueWriter: SingleValueEncodingContainer {
    let core: EncoderCore
    let level: EncoderCore.LevelID

    var codingPath: [any CodingKey] { core.codingPath(to: level) }

    mutating func encodeNil() throws {
        try core.beginSingle(in: level)
        core.writeNil()
    }

    mutating func encode(_ value: Bool) throws {
        try core.beginSingle(in: level)
        core.write(value)
    }

    mutating func encode(_ value: String) throws {
        try core.beginSingle(in: level)
        core.write(value)
    }

    mutating func encode(_ value: Double) throws {
        try core.beginSingle(in: level)
        core.write(value)
    }

    mutating func encode(_ value: Float) throws {
        try core.beginSingle(in: level)
        core.write(value)
    }

    mutating func encode(_ value: Int) throws {
        try core.beginSingle(in: level)
        core.write(signed: Int64(value))
    }

    mutating func encode(_ value: Int8) throws {
        try core.beginSingle(in: level)
        core.write(signed: Int64(value))
    }

    mutating func encode(_ value: Int16) throws {
        try core.beginSingle(in: level)
        core.write(signed: Int64(value))
    }

    mutating func encode(_ value: Int32) throws {
        try core.beginSingle(in: level)
        core.write(signed: Int64(value))
    }

    mutating func encode(_ value: Int64) throws {
        try core.beginSingle(in: level)
        core.write(signed: value)
    }

    mutating func encode(_ value: UInt) throws {
        try core.beginSingle(in: level)
        core.write(unsigned: UInt64(value))
    }

    mutating func encode(_ value: UInt8) throws {
        try core.beginSingle(in: level)
        core.write(unsigned: UInt64(value))
    }

    mutating func encode(_ value: UInt16) throws {
        try core.beginSingle(in: level)
        core.write(unsigned: UInt64(value))
    }

    mutating func encode(_ value: UInt32) throws {
        try core.beginSingle(in: level)
        core.write(unsigned: UInt64(value))
    }

    mutating func encode(_ value: UInt64) throws {
        try core.beginSingle(in: level)
        core.write(unsigned: value)
    }

    mutating func encode(_ value: some Encodable) throws {
        try core.beginSingle(in: level)
        try core.encode(value, step: .wrapped)
    }
}
