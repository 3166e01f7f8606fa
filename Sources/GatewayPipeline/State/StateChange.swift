internal import StateCoding
package import TelemetryModel

/// What a checkpoint writes of one device.
package struct StateChange: Sendable, Equatable {
    /// A message that waits, as it is stored.
    package struct WaitingRow: Sendable, Equatable {
        /// Its number, unique for the device.
        package var number: UInt64
        /// The encoded message.
        package var bytes: [UInt8]

        /// A row that was read.
        package init(number: UInt64, bytes: [UInt8]) {
            self.number = number
            self.bytes = bytes
        }
    }

    /// Whose it is.
    package let device: DeviceID
    /// The number of its checkpoint: the state that it writes includes the rows of the journal up to that.
    package var number: UInt64 = 0
    /// The number of the take that it is of, from 1.
    package var take: UInt64 = 0
    /// Whether the journal has messages of the device that the state includes from now on.
    package var endsJournal = false
    /// Whether everything stored of the device is deleted first: the device was removed, or its whole state follows.
    package var replacesAll = false
    /// The parts that are new or have changed.
    package var parts: [StatePart] = []
    /// The names of parts that were removed.
    package var removedParts: [String] = []
    /// The messages that began to wait.
    package var waiting: [WaitingRow] = []
    /// The numbers of messages that no longer wait.
    package var removedWaiting: [UInt64] = []
    /// The minutes of its history that are new or have changed.
    package var history: [HistoryRow] = []
    /// Whether its history is erased first.
    package var erasesHistory = false
    /// The kinds of which the messages that are kept are erased first: their consent was withdrawn.
    package var erasedKinds: [String] = []
    /// Whether nothing of the device is in memory any more, because it was removed from the registry: its history is erased a day later, unless it is listed again.
    package var isRemoved = false
    /// The messages to be kept for the query `events`.
    package var events: [StoredEvent] = []
    /// The `committed` messages to publish once this is written.
    package var committed: [OutboundMessage] = []

    /// No change.
    package init(device: DeviceID) { self.device = device }
}

/// Everything stored of one device.
package struct StoredState: Sendable, Equatable {
    /// Whose it is.
    package let device: DeviceID
    /// Its parts, by name.
    package var parts: [String: StatePart]
    /// The messages that wait, in the order of their numbers.
    package var waiting: [StateChange.WaitingRow]
    /// The last row of the journal that it includes.
    package var number: UInt64 = 0
    /// Why not every part could be read; nil where all could.
    package var damage: String?
    /// The row that has the damage; empty for none.
    package var damagedRow: [UInt8] = []
    /// The messages to publish that a replay has led to, encoded, in their order.
    package var owed: [[UInt8]] = []

    /// What was read of `device`.
    package init(
        device: DeviceID, parts: [String: StatePart] = [:], waiting: [StateChange.WaitingRow] = [], damage: String? = nil
    ) {
        self.device = device
        self.parts = parts
        self.waiting = waiting
        self.damage = damage
    }
}

/// A part of a device's state that could not be read and is left out.
package struct DroppedPart: Sendable, Equatable, CustomStringConvertible {
    /// Whose it is; nil for several devices.
    package let device: DeviceID?
    /// The part's name.
    package let part: String
    /// Why it is left out.
    package let reason: String
    /// The part as it is stored.
    package let bytes: [UInt8]
    /// Whether it is whole, but of a version that this build does not read.
    package let isOfOtherVersion: Bool

    /// A part of `device` that is left out.
    package init(device: DeviceID?, part: String, reason: String, bytes: [UInt8] = [], isOfOtherVersion: Bool = false) {
        self.device = device
        self.part = part
        self.reason = reason
        self.bytes = bytes
        self.isOfOtherVersion = isOfOtherVersion
    }

    /// A part that could not be read because of `error`.
    init(device: DeviceID, part: String, _ error: any Error, bytes: [UInt8]) {
        self.init(
            device: device, part: part, reason: "\(error)", bytes: bytes,
            isOfOtherVersion: error is OtherVersion || error is UnknownPart)
    }

    /// One line for a log.
    package var description: String { "\(part) of \(device?.rawValue ?? "several devices"): \(reason)" }
}

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
