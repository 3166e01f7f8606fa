/// The place of a single value while it is written.
struct SingleValueWriter: SingleValueEncodingContainer {
    let core: EncoderCore
    let level: EncoderCore.LevelID

    var codingPath: [any CodingKey] { core.codingPath(to: level) }

    mutating func encodeNil() throws {
        try core.beginSingle(in: level)
        core.writeNil()
    }

    mutating func encode(_ value: some Primitive) throws {
        try core.beginSingle(in: level)
        value.write(to: core)
    }

    mutating func encode(_ value: some Encodable) throws {
        try core.beginSingle(in: level)
        try core.encode(value, step: .wrapped)
    }
}
