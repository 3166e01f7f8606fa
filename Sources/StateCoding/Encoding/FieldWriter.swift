/// A value that writes its fields itself.
///
/// The containers of `Codable` look up generic types while they run, which takes most of the time of a small value. A value that changes
/// with every frame writes its fields directly instead, each under the name that its `CodingKeys` have; the document is the same, and
/// reading is left to `Decodable`.
package protocol FieldEncodable: Encodable {
    /// Writes every stored property; one that is nil is left out.
    func write(to fields: FieldWriter) throws
}

extension FieldEncodable {
    /// Writes the fields; throws for an encoder other than that of states.
    package func encode(to encoder: any Encoder) throws {
        guard let encoder = encoder as? ValueEncoder else {
            let context = EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "only states hold it")
            throw EncodingError.invalidValue(self, context)
        }
        encoder.core.open(.keyed, in: encoder.level)
        try write(to: FieldWriter(core: encoder.core, level: encoder.level))
    }
}

/// Writes the fields of one value. Every method throws as `StateCoder.encode` does.
package struct FieldWriter {
    let core: EncoderCore
    let level: EncoderCore.LevelID

    /// Writes a boolean.
    package func write(_ name: String, _ value: Bool) throws {
        _ = try core.writeKey(name, in: level)
        core.write(value)
    }

    /// Writes an integer.
    package func write(_ name: String, _ value: Int) throws {
        _ = try core.writeKey(name, in: level)
        core.write(signed: Int64(value))
    }

    /// Writes an integer of 0 or more.
    package func write(_ name: String, _ value: UInt64) throws {
        _ = try core.writeKey(name, in: level)
        core.write(unsigned: value)
    }

    /// Writes a number.
    package func write(_ name: String, _ value: Double) throws {
        _ = try core.writeKey(name, in: level)
        core.write(value)
    }

    /// Writes text.
    package func write(_ name: String, _ value: String) throws {
        _ = try core.writeKey(name, in: level)
        core.write(value)
    }

    /// Writes an array of numbers.
    package func write(_ name: String, _ value: [Double]) throws {
        _ = try core.writeKey(name, in: level)
        core.write(value)
    }

    /// Writes an array of numbers in single precision.
    package func write(_ name: String, _ value: [Float]) throws {
        _ = try core.writeKey(name, in: level)
        core.write(value)
    }

    /// Writes an array of integers.
    package func write(_ name: String, _ value: [Int]) throws {
        _ = try core.writeKey(name, in: level)
        core.write(value)
    }

    /// Writes a value of an enumeration as its raw value.
    package func write<Value: RawRepresentable & Encodable>(_ name: String, _ value: Value) throws
    where Value.RawValue == String {
        try write(name, value.rawValue)
    }

    /// Writes a value of an enumeration as its raw value.
    package func write<Value: RawRepresentable & Encodable>(_ name: String, _ value: Value) throws where Value.RawValue == Int {
        try write(name, value.rawValue)
    }

    /// Writes a value with its fields.
    package func write(_ name: String, _ value: some FieldEncodable) throws {
        try write(value, at: core.writeKey(name, in: level))
    }

    /// Writes an array of values with their fields.
    package func write(_ name: String, _ values: [some FieldEncodable]) throws {
        try core.nest(.unkeyed, core.writeKey(name, in: level)) { list in
            for value in values { try write(value, at: core.addElement(in: list)) }
        }
    }

    /// Writes values with keys as `Dictionary` encodes itself when its keys are neither text nor integers; `text` is what a key encodes
    /// itself as.
    package func write<Key, Value: FieldEncodable>(
        _ name: String, _ values: some Sequence<(key: Key, value: Value)>, by text: (Key) -> String
    ) throws {
        try core.nest(.unkeyed, core.writeKey(name, in: level)) { list in
            for (key, value) in values {
                _ = try core.addElement(in: list)
                core.write(text(key))
                try write(value, at: core.addElement(in: list))
            }
        }
    }

    /// Writes a value that encodes itself.
    package func write(_ name: String, _ value: some Encodable) throws {
        try core.encode(value, step: core.writeKey(name, in: level))
    }

    private func write(_ value: some FieldEncodable, at step: PathStep) throws {
        try core.nest(.keyed, step) { try value.write(to: FieldWriter(core: core, level: $0)) }
    }

    // MARK: Fields that are often zero

    /// Writes an integer that is not 0.
    package func write(nonzero name: String, _ value: Int) throws {
        if value != 0 { try write(name, value) }
    }

    /// Writes a number that is not 0.
    package func write(nonzero name: String, _ value: Double) throws {
        if value != 0 { try write(name, value) }
    }

    /// Writes a boolean that is true.
    package func write(nonzero name: String, _ value: Bool) throws {
        if value { try write(name, value) }
    }

    // MARK: Fields that may be nil

    /// Writes a boolean, if there is one.
    package func write(_ name: String, _ value: Bool?) throws {
        if let value { try write(name, value) }
    }

    /// Writes an integer, if there is one.
    package func write(_ name: String, _ value: Int?) throws {
        if let value { try write(name, value) }
    }

    /// Writes an integer of 0 or more, if there is one.
    package func write(_ name: String, _ value: UInt64?) throws {
        if let value { try write(name, value) }
    }

    /// Writes a number, if there is one.
    package func write(_ name: String, _ value: Double?) throws {
        if let value { try write(name, value) }
    }

    /// Writes text, if there is any.
    package func write(_ name: String, _ value: String?) throws {
        if let value { try write(name, value) }
    }

    /// Writes a value of an enumeration as its raw value, if there is one.
    package func write<Value: RawRepresentable & Encodable>(_ name: String, _ value: Value?) throws
    where Value.RawValue == String {
        if let value { try write(name, value.rawValue) }
    }

    /// Writes a value of an enumeration as its raw value, if there is one.
    package func write<Value: RawRepresentable & Encodable>(_ name: String, _ value: Value?) throws where Value.RawValue == Int {
        if let value { try write(name, value.rawValue) }
    }

    /// Writes a value with its fields, if there is one.
    package func write(_ name: String, _ value: (some FieldEncodable)?) throws {
        if let value { try write(name, value) }
    }

    /// Writes a value that encodes itself, if there is one.
    package func write(_ name: String, _ value: (some Encodable)?) throws {
        if let value { try write(name, value) }
    }
}
