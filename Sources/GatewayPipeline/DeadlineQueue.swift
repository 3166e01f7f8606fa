internal import HeapModule

/// Which devices are to be looked at, and when; the earliest first, at the same instant in the order of their ids.
///
/// A device whose deadline moves back stays where it is until it comes up, so that a frame costs no change of the heap.
struct DeadlineQueue {
    private struct Entry: Comparable {
        let at: Double
        let slot: DeviceSlot

        static func < (left: Entry, right: Entry) -> Bool {
            (left.at, left.slot.device) < (right.at, right.slot.device)
        }

        static func == (left: Entry, right: Entry) -> Bool { left.at == right.at && left.slot === right.slot }
    }

    private var heap = Heap<Entry>()

    /// Puts `slot` under its deadline; call it whenever that has changed.
    mutating func schedule(_ slot: DeviceSlot) {
        guard let deadline = slot.deadline, deadline < slot.queuedFor ?? .infinity else { return }
        slot.queuedFor = deadline
        heap.insert(Entry(at: deadline, slot: slot))
    }

    /// The earliest deadline; nil when nothing is due ever.
    mutating func next() -> Double? {
        while let entry = heap.min {
            if isCurrent(entry) { return entry.at }
            heap.removeMin()
        }
        return nil
    }

    /// Removes and returns the device with the earliest deadline, if that is at or before `monotonic`.
    mutating func take(dueAt monotonic: Double) -> DeviceSlot? {
        guard let next = next(), next <= monotonic else { return nil }
        let slot = heap.removeMin().slot
        slot.queuedFor = nil
        return slot
    }

    /// Whether `entry` is the present deadline of its device; one that has moved back is put there.
    private mutating func isCurrent(_ entry: Entry) -> Bool {
        let slot = entry.slot
        guard slot.queuedFor == entry.at else { return false }
        if slot.deadline == entry.at { return true }
        slot.queuedFor = nil
        schedule(slot)
        return false
    }
}
