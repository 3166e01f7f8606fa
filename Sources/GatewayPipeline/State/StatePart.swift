internal import StateCoding

/// One part of a device's state as it is stored: its name, the version of its layout and its encoded value.
package struct StatePart: Sendable, Equatable, Codable {
    /// What it is: `intake`, `frames`, `access`, `budgets`, `history`, `displaced`, `retained/{kind}`, `latest/{kind}` or
    /// `derive/{name}`.
    package var name: String
    /// The version of its layout.
    package var version: Int
    /// The encoded value.
    package var bytes: [UInt8]

    /// A part that was read.
    package init(name: String, version: Int, bytes: [UInt8]) {
        self.name = name
        self.version = version
        self.bytes = bytes
    }

    /// Whether the part is stored in a row of its own; the others of a device share one.
    package var hasOwnRow: Bool { Self.hasOwnRow(name) }

    /// Whether a part of that name is stored in a row of its own: a message, which is read alone and seldom changes, and the boot
    /// before the current one.
    package static func hasOwnRow(_ name: String) -> Bool {
        name == DeviceState.Part.displaced || DeviceState.messagePrefixes.contains(where: name.hasPrefix)
    }

    /// The part that holds `value`.
    init<Value: StoredPart>(_ name: String, _ value: Value, by encoder: StateEncoder) throws {
        self.init(name: name, version: Value.version, bytes: try encoder.encode(value))
    }

    /// The value; throws when it is damaged, or of another version than `Value`.
    func value<Value: StoredPart>(_ type: Value.Type = Value.self) throws -> Value {
        guard version == Value.version else { throw OtherVersion(found: version, expected: Value.version) }
        return try StateCoder.decode(Value.self, from: bytes)
    }
}
