import TelemetryModel

/// The devices whose state is to be written with the next checkpoint, and those whose state was taken out for the last.
struct PipelineChanges {
    private var slots: [DeviceSlot] = []
    private var removed: Set<DeviceID> = []
    private var unwritten: [DeviceSlot] = []

    /// Notes that the state of a device has changed.
    mutating func note(_ slot: DeviceSlot) {
        guard !slot.isChanged else { return }
        slot.isChanged = true
        slots.append(slot)
    }

    /// Notes that nothing of a device is kept any more.
    mutating func noteRemoved(_ device: DeviceID) { removed.insert(device) }

    /// Takes out what has changed since the last call.
    mutating func take() -> [Pipeline.Changed] {
        var changed: [Pipeline.Changed] = []
        for slot in slots where slot.isChanged {
            slot.isChanged = false
            slot.isUnwritten = true
            unwritten.append(slot)
            removed.remove(slot.device)
            changed.append(Pipeline.Changed(device: slot.device, state: slot.state))
        }
        changed += removed.sorted().map { Pipeline.Changed(device: $0, state: nil) }
        slots.removeAll(keepingCapacity: true)
        removed.removeAll(keepingCapacity: true)
        return changed
    }

    /// Notes that what was taken out is written.
    mutating func noteWritten() {
        for slot in unwritten { slot.isUnwritten = false }
        unwritten.removeAll(keepingCapacity: true)
    }
}
