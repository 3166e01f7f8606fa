internal import DequeModule
internal import StateCoding
package import TelemetryModel

/// Which rows of the journal are needed: each until the state of every device in it was written.
///
/// Both limits keep a start short: after a crash the messages are processed again.
struct FrameJournal {
    /// The most messages of all rows that are needed.
    private static let mostEntries = 16_384
    /// The most bytes of all rows that are needed.
    private static let mostBytes = 16 * 1_024 * 1_024

    private struct Row {
        let number: UInt64
        let entries: Int
        let bytes: Int
    }

    /// Whether messages are journaled.
    var isOn = false
    /// The number of the present checkpoint.
    var number: UInt64 = 0
    private var rows = Deque<Row>()
    private var entries = 0
    private var bytes = 0
    /// The devices by their first row that is needed.
    private var open = Deque<(slot: DeviceSlot, row: UInt64)>()

    /// The first row that is needed; those before it can be deleted.
    var firstRow: UInt64 { open.first?.row ?? number + 1 }

    /// Records that a device's journal begins with the present checkpoint.
    mutating func noteOpened(_ slot: DeviceSlot) { open.append((slot, number)) }

    /// Records the row of the present checkpoint.
    mutating func note(_ row: JournalRow, of count: Int) {
        rows.append(Row(number: row.number, entries: count, bytes: row.bytes.count))
        entries += count
        bytes += row.bytes.count
    }

    /// The device whose state has to be written so that rows can be deleted; nil where the limits are kept. With `all` every device in
    /// the journal, one after another.
    mutating func next(all: Bool) -> DeviceSlot? {
        while let first = open.first {
            guard first.slot.journal.firstRow == first.row else {
                open.removeFirst()
                continue
            }
            dropRows()
            return all || entries > Self.mostEntries || bytes > Self.mostBytes ? first.slot : nil
        }
        dropRows()
        return nil
    }

    private mutating func dropRows() {
        while let row = rows.first, row.number < firstRow {
            rows.removeFirst()
            entries -= row.entries
            bytes -= row.bytes
        }
    }
}

/// What the next checkpoint writes of a device: its messages, or its state.
///
/// Its messages do where the stored state, and the messages of the device since then, lead to the present state: a timer, a command or another
/// lane's activity that changes the state is no message, and has the state written.
struct DeviceJournal {
    /// After so many messages the state is written. With more, a start takes longer; with 64, writing states costs less than the messages.
    private static let most = 64

    /// After so many messages the state is written for the second time, 1 to `most`. It differs from device to device: otherwise the
    /// states of devices that began together, as after a start, would all be written by one checkpoint, again and again.
    private let first: Int
    /// After so many messages the state is written.
    private var limit: Int
    /// The messages since the last checkpoint; none where the state has to be written.
    private var entries: [JournalEntry] = []
    private var entryBytes = 0
    /// What the next checkpoint writes.
    private(set) var form = Form.changes

    /// What a checkpoint writes of a device.
    enum Form {
        /// The messages since the last one.
        case messages
        /// The parts of the state that have changed.
        case changes
        /// The whole state, in place of what is stored.
        case whole
    }

    /// How many bytes of state the last checkpoint that wrote it has written.
    private var stateBytes = 0
    /// How many messages were journaled since the state was written.
    private var count = 0
    /// The first row with messages that the stored state does not include; nil for none.
    private(set) var firstRow: UInt64?

    /// The journal of a device whose state is not written yet.
    init(of device: DeviceID) {
        var hash = FNV1a64()
        hash.add(device.rawValue)
        first = 1 + Int(hash.value % UInt64(Self.most))
        limit = first
    }

    /// Records a change of the state by a message; nil for any other change.
    mutating func note(_ entry: JournalEntry?) {
        guard let entry, form == .messages else { return requireState() }
        entries.append(entry)
        entryBytes += entry.message.payload.count
        // Messages are journaled where they are much smaller than the state: it is read and processed again after a crash.
        if count + entries.count > limit || entryBytes * 2 > stateBytes { requireState() }
    }

    /// Has the next checkpoint write the state, or the whole of it.
    mutating func requireState(whole: Bool = false) {
        if form != .whole { form = whole ? .whole : .changes }
        entries = []
        entryBytes = 0
    }

    /// The messages that the checkpoint writes as row `number`; nil where it writes the state.
    mutating func take(into number: UInt64) -> [JournalEntry]? {
        guard form == .messages else { return nil }
        defer {
            entries = []
            entryBytes = 0
        }
        count += entries.count
        if !entries.isEmpty, firstRow == nil { firstRow = number }
        return entries
    }

    /// Records that the checkpoint writes the state, in so many bytes; the next one may write messages where these are journaled.
    mutating func noteState(bytes: Int, isJournaled: Bool = true) {
        requireState()
        form = isJournaled ? .messages : .changes
        guard isJournaled else { return }
        limit = stateBytes == 0 ? first : Self.most
        stateBytes = bytes
        count = 0
        firstRow = nil
    }
}

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
    /// How far the gateway's clock was believed to be ahead, in s; nil for 0.
    var clockLead: Double?

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
            redeliveryUntil: context.redelivery(at: now).until, rules: rules,
            clockLead: context.clockLead == 0 ? nil : context.clockLead)
    }
}
