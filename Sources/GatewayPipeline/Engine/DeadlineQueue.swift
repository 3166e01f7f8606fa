internal import HeapModule

/// The devices by the deadline at which they are advanced; the earliest first, equal deadlines in the order of ids.
///
/// A deadline that moves back is corrected only when its entry is first in the queue, so that a frame does not change the heap.
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

    /// The earliest deadline; nil when there is none.
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

    /// Whether `entry` is the present deadline of its device; a deadline that has moved back is queued again.
    private mutating func isCurrent(_ entry: Entry) -> Bool {
        let slot = entry.slot
        guard slot.queuedFor == entry.at else { return false }
        if slot.deadline == entry.at { return true }
        slot.queuedFor = nil
        schedule(slot)
        return false
    }
}
