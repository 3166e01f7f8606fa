internal import StateCoding
import TelemetryModel

/// The devices whose state is to be written with the next checkpoint, and those whose state was taken for the last one.
struct PipelineChanges {
    private var slots: [DeviceSlot] = []
    private var removed: Set<DeviceID> = []
    private var unwritten: [DeviceSlot] = []
    private let encoder = StateEncoder(doubles: [DeviceTime.self, UnixTime.self])

    /// Records that the state of a device has changed.
    mutating func note(_ slot: DeviceSlot) {
        guard !slot.isChanged else { return }
        slot.isChanged = true
        slots.append(slot)
    }

    /// Records that the state of a device was removed.
    mutating func noteRemoved(_ device: DeviceID) { removed.insert(device) }

    /// Takes the changes since the last call, encoded. Throws when a state cannot be encoded; the next call then takes all of
    /// them again.
    mutating func take() throws -> [StateChange] {
        var changes: [StateChange] = []
        for slot in slots where slot.isChanged {
            slot.isUnwritten = true
            unwritten.append(slot)
            do {
                let isNew = removed.contains(slot.device)
                changes.append(
                    try slot.state.takeChange(
                        of: slot.device, replacesAll: slot.replacesStored || isNew, by: encoder))
            } catch {
                putBack(unwritten)
                throw error
            }
        }
        for slot in slots where slot.isChanged {
            slot.isChanged = false
            slot.replacesStored = false
            removed.remove(slot.device)
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

    /// Discards the changes: nothing is written.
    mutating func discard() {
        for slot in slots { slot.isChanged = false }
        slots.removeAll(keepingCapacity: true)
        removed.removeAll(keepingCapacity: true)
    }

    /// Records that the changes taken are written.
    mutating func noteWritten() {
        for slot in unwritten { slot.isUnwritten = false }
        unwritten.removeAll(keepingCapacity: true)
    }

    /// Records that states that were taken are not written: they are written whole next time.
    mutating func putBack(_ slots: [DeviceSlot]) {
        for slot in slots {
            slot.replacesStored = true
            note(slot)
        }
    }
}
