internal import DequeModule

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
