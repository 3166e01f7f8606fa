internal import StateCoding
package import TelemetryModel

/// The devices' states, taken at checkpoints and restored after a restart.
extension Pipeline {
    /// What has changed since the last call, encoded; to be written as a whole. Throws when a state cannot be encoded.
    package mutating func takeChanges() throws -> [StateChange] {
        var changed = try changes.take(erases: context.erases)
        let erased = context.takeErased()
        for index in changed.indices {
            let device = changed[index].device
            changed[index].take = context.takes
            changed[index].history = context.history.takeRows(of: device)
            changed[index].erasesHistory = erased.contains(device)
            changed[index].erasedKinds = context.takeErasedKinds(of: device)
            guard let slot = slots[device] else {
                changed[index].isRemoved = true
                continue
            }
            changed[index].events = slot.takeEvents()
            changed[index].committed = committedMessages(of: slot)
        }
        return changed
    }

    /// Discards the changes, where states are not stored.
    package mutating func discardChanges() { changes.discard() }

    /// Records that the changes taken last are written.
    package mutating func noteWritten() {
        changes.noteWritten()
        context.noteWritten()
    }

    /// Records that these histories are written.
    package mutating func noteHistoryWritten(_ changes: [StateChange]) {
        for change in changes { context.history.noteWritten(change.history, of: change.device) }
    }

    /// Records that changes that were taken could not be written.
    package mutating func putBack(_ failed: [StateChange]) {
        for change in failed.reversed() {
            let before = max(change.take, 1) - 1
            context.history.putBack(change.history, of: change.device)
            // What was derived before an erasure is not put back, whether that failed too or is still to be written.
            slots[change.device]?.putBack(
                change.events.filter { !context.isErased($0.kind, of: change.device, since: change.take) })
            if change.erasesHistory { context.eraseHistory(of: change.device, after: before) }
            context.eraseMessages(of: change.erasedKinds, of: change.device, after: before)
            if let slot = slots[change.device], slot.state != DeviceState() {
                changes.putBack([slot])
            } else {
                changes.noteRemoved(change.device)
            }
        }
        changes.noteWritten()
    }

    /// Whether the state of `device` is on disk only, so that it has to be restored before anything is done with the device.
    package func isAbsent(_ device: DeviceID) -> Bool { absent[device] != nil }

    /// The devices whose state is on disk only.
    package var absentDevices: Set<DeviceID> { Set(absent.keys) }

    /// Removes a device whose state is no longer on disk; it starts without state.
    package mutating func removeAbsent(_ device: DeviceID) { absent[device] = nil }

    /// The devices on disk only for which `changed` differs from the policy in force.
    package func absentDevices(changedBy changed: AccessPolicy) -> [DeviceID] {
        absent.keys.filter { policy(for: $0) != changed.policy(for: $0) }
    }

    /// Restores a stored state; its depth is not confirmed by that. A device that is no longer known is revoked instead, and the
    /// messages of that are returned.
    package mutating func restore(_ state: DeviceState, of device: DeviceID, at now: GatewayTime) -> [OutboundMessage] {
        absent[device] = nil
        let policy = policy(for: device)
        install(state, of: device, policy: policy ?? .everything, at: now)
        slots[device]?.hasLostOrder = state.hasLostOrder
        guard policy != nil else { return revoke(device, at: now) }
        return published { $0.turn(device, at: now) { $0.continueRestored() } }
    }

    /// Marks every restored state: its depth must be confirmed by data.
    package mutating func doubtRestored() {
        for slot in slots.values { slot.state.boot.derivations.markRestored() }
    }

    /// Drops from memory every state that is written, waits for nothing and had no message since `monotonic`; returns how many. Where
    /// messages were written in place of the state, or activity was not written, the next checkpoint writes the state, and a later call
    /// drops it.
    package mutating func evict(notActiveSince monotonic: Double) -> Int {
        let idle = slots.values.filter { slot in
            slot.deadline == nil && [.stored, .lacksActivity].contains(slot.standing) && slot.lastActive < monotonic
        }
        for slot in idle {
            guard slot.journal.firstRow == nil, slot.standing == .stored else {
                changes.note(slot, nil)
                continue
            }
            absent[slot.device] = AbsentDevice(lastActive: slot.lastActive, isExpendable: slot.isExpendable)
            discard(slot.device)
        }
        return idle.count { slots[$0.device] == nil }
    }

    /// Extends every wait for a missing message by `seconds`, during which nothing could be read.
    package mutating func postponeWaits(by seconds: Double, at now: GatewayTime) {
        for slot in slots.values where !slot.state.intake.waiting.isEmpty {
            turn(slot.device, at: now) { $0.slot.state.intake.postponeWaits(by: seconds) }
        }
    }

    /// Every retained message again: the broker has lost them.
    package mutating func restoreRetained(at now: GatewayTime) -> [OutboundMessage] {
        published { pipeline in
            for device in pipeline.slots.keys.sorted() { pipeline.turn(device, at: now) { $0.restoreRetained() } }
        }
    }
}

extension Pipeline {
    /// The `committed` messages of a device: that of the recorded history always, the others where `gateway.publishCommitted` is set.
    package func committedMessages(of device: DeviceID) -> [OutboundMessage] {
        slots[device].map { committedMessages(of: $0) } ?? []
    }

    private func committedMessages(of slot: DeviceSlot) -> [OutboundMessage] {
        var messages: [OutboundMessage] = []
        if let message = encoder.encodeCommitted(slot.state.history, of: slot.device) {
            messages.append(message)
        }
        guard settings.publishesCommitted, let boot = slot.state.intake.boots.current else { return messages }
        for scope in slot.state.intake.scopes {
            guard let stream = scope.stream, owns(stream), let sequence = slot.state.intake.committed(scope) else { continue }
            messages.append(encoder.encodeCommitted(stream, boot: boot, sequence: sequence, of: slot.device))
        }
        return messages
    }
}

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
    mutating func takeRow() -> JournalRow? { exchange(&row, with: nil) }

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
