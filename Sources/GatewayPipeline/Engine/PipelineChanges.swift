internal import StateCoding
import TelemetryModel

/// The devices whose state is to be written with the next checkpoint, and those whose state was taken for the last one.
struct PipelineChanges {
    /// The messages that are written in place of states.
    var journal = FrameJournal()
    /// Whether the next checkpoint writes the state of every device in the journal.
    var closesJournal = false
    private var slots: [DeviceSlot] = []
    private var removed: Set<DeviceID> = []
    private var unwritten: [DeviceSlot] = []
    private var row: JournalRow?
    private let encoder = StateEncoder(doubles: [DeviceTime.self, UnixTime.self])

    /// Records that the state of a device has changed: by the message of `entry`, or by anything else.
    mutating func note(_ slot: DeviceSlot, _ entry: JournalEntry?) {
        slot.journal.note(entry)
        guard slot.standing != .changed else { return }
        slot.standing = .changed
        slots.append(slot)
    }

    /// Records that the state of a device was removed.
    mutating func noteRemoved(_ device: DeviceID) { removed.insert(device) }

    /// Takes the changes since the last call, encoded. Throws when a state cannot be encoded; the next call then takes all of
    /// them again. Where something is removed or erased, nothing of it may stay in the journal: the states of all devices in it are written.
    mutating func take(erases: Bool) throws -> [StateChange] {
        let closesJournal = closesJournal || erases || !removed.isEmpty
        var changes: [StateChange] = []
        var entries: [JournalEntry] = []
        journal.number += 1
        do {
            for slot in slots where slot.standing == .changed { changes.append(try takeChange(of: slot, into: &entries)) }
            row = entries.isEmpty ? nil : try JournalRow(number: journal.number, entries, by: encoder)
            if let row { journal.note(row, of: entries.count) }
            while let slot = journal.next(all: closesJournal) {
                slot.journal.requireState()
                changes.append(try takeChange(of: slot, into: &entries))
            }
        } catch {
            row = nil
            putBack(unwritten)
            throw error
        }
        changes += removed.sorted().map { device in
            var change = StateChange(device: device)
            change.replacesAll = true
            return change
        }
        slots.removeAll(keepingCapacity: true)
        removed.removeAll(keepingCapacity: true)
        return changes
    }

    /// The change of one device: its messages since the last call are appended to `entries`, or its state is encoded.
    private mutating func takeChange(of slot: DeviceSlot, into entries: inout [JournalEntry]) throws -> StateChange {
        unwritten.append(slot)
        let replacesAll = slot.journal.form == .whole || removed.contains(slot.device)
        if replacesAll || slot.state.$history.isChanged { slot.journal.requireState() }
        let isOpen = slot.journal.firstRow != nil
        var change: StateChange
        if let taken = slot.journal.take(into: journal.number) {
            change = try slot.state.takeMessages(of: slot.device, by: encoder)
            entries += taken
            if !isOpen, slot.journal.firstRow != nil { journal.noteOpened(slot) }
        } else {
            change = try slot.state.takeChange(of: slot.device, replacesAll: replacesAll, by: encoder)
            change.endsJournal = isOpen
            // A device without a row has nothing that its messages could be added to.
            let bytes = change.parts.reduce(0) { $0 + ($1.hasOwnRow ? 0 : $1.bytes.count) }
            slot.journal.noteState(bytes: bytes, isJournaled: journal.isOn)
        }
        change.number = journal.number
        slot.standing = .taken
        removed.remove(slot.device)
        return change
    }

    /// The row of the journal for the changes taken last; nil for none.
    mutating func takeRow() -> JournalRow? {
        defer { row = nil }
        return row
    }

    /// Discards the changes: nothing is written.
    mutating func discard() {
        for slot in slots { slot.standing = .stored }
        slots.removeAll(keepingCapacity: true)
        removed.removeAll(keepingCapacity: true)
    }

    /// Records that the changes taken are written.
    mutating func noteWritten() {
        for slot in unwritten where slot.standing == .taken { slot.standing = .stored }
        unwritten.removeAll(keepingCapacity: true)
    }

    /// Records that states that were taken are not written: they are written whole next time.
    mutating func putBack(_ slots: [DeviceSlot]) {
        for slot in slots {
            slot.journal.requireState(whole: true)
            note(slot, nil)
        }
    }
}
