internal import StateCoding
package import TelemetryModel

/// A processed message as the journal keeps it: it leads from the state of its device before it to the state after it.
package struct JournalEntry: Sendable, Equatable, Codable {
    /// Whose message it is.
    package let device: DeviceID
    /// The message as it arrived.
    package let message: InboundMessage
    /// When it was processed.
    package private(set) var received: GatewayTime
    /// Whether timers were not paused.
    let firesTimers: Bool
    /// When frames before the first one became those of a gateway before this one; nil where they were still to come.
    private(set) var resumedAt: GatewayTime?
    /// Until when the broker might deliver frames again, on the monotonic clock; nil where it could not any more.
    private(set) var redeliveryUntil: Double?
    /// Identifies the settings and the policy by which it was processed.
    let rules: UInt64

    init(
        device: DeviceID, message: InboundMessage, received: GatewayTime, firesTimers: Bool, resumedAt: GatewayTime?,
        redeliveryUntil: Double? = nil, rules: UInt64
    ) {
        self.device = device
        self.message = message
        self.received = received
        self.firesTimers = firesTimers
        self.resumedAt = resumedAt
        self.redeliveryUntil = redeliveryUntil
        self.rules = rules
    }

    fileprivate mutating func shiftMonotonic(by seconds: Double) {
        received.monotonic += seconds
        resumedAt?.monotonic += seconds
        redeliveryUntil? += seconds
    }
}

/// The entries of one checkpoint as they are stored.
package struct JournalRow: Sendable, Equatable {
    fileprivate struct Contents: Codable {
        let entries: [JournalEntry]
    }

    /// Its place among the checkpoints of the lane.
    package let number: UInt64
    /// The entries, encoded.
    package let bytes: [UInt8]

    /// A row that was read.
    package init(number: UInt64, bytes: [UInt8]) {
        self.number = number
        self.bytes = bytes
    }

    /// A row of `entries`, in their order.
    init(number: UInt64, _ entries: [JournalEntry], by encoder: StateEncoder) throws {
        self.init(number: number, bytes: try encoder.encode(Contents(entries: entries)))
    }

    /// The entries; throws when the row is damaged.
    package func entries() throws -> [JournalEntry] { try StateCoder.decode(Contents.self, from: bytes).entries }

    /// The row with every instant on the gateway's monotonic clock moved by `seconds`: that clock restarts with the machine. Throws when
    /// the row is damaged.
    package func shifted(by seconds: Double) throws -> JournalRow {
        var entries = try entries()
        for index in entries.indices { entries[index].shiftMonotonic(by: seconds) }
        return try JournalRow(number: number, entries, by: StateEncoder())
    }
}

extension DeviceTurn {
    /// The entry of a message that is about to be processed.
    func journalEntry(of message: InboundMessage) -> JournalEntry {
        let rules = slot.rules ?? context.rules(of: slot.policy)
        slot.rules = rules
        return JournalEntry(
            device: device, message: message, received: now, firesTimers: context.firesTimers, resumedAt: resumedAt,
            redeliveryUntil: context.redelivery(at: now).until, rules: rules)
    }
}
