import GatewayPipeline
import TelemetryModel

/// What a gateway has written of its devices, in memory.
struct FuzzStore {
    private var devices: [DeviceID: StoredState] = [:]
    private var rows: [JournalRow] = []
    /// The number of the last checkpoint.
    private(set) var lastNumber: UInt64 = 0
    /// The states that what was written leads to.
    private(set) var expected: [DeviceID: DeviceState] = [:]

    /// The states that were written.
    var states: [StoredState] { devices.keys.sorted().compactMap { devices[$0] } }

    /// The messages that lead from a stored state to the present one.
    func entries(after stored: StoredState) -> [JournalEntry] {
        rows.filter { $0.number > stored.number }.flatMap { row in
            guard let entries = try? row.entries() else { fatalError("row \(row.number) of the journal cannot be read") }
            return entries.filter { $0.device == stored.device }
        }
    }

    /// Applies changes as the files do.
    mutating func write(_ checkpoint: FuzzGateway.Checkpoint) {
        for change in checkpoint.changes {
            var stored =
                change.replacesAll
                ? StoredState(device: change.device) : devices[change.device] ?? StoredState(device: change.device)
            for name in change.removedParts { stored.parts[name] = nil }
            for part in change.parts { stored.parts[part.name] = part }
            let writesState = change.parts.contains { !$0.hasOwnRow } || !change.removedParts.allSatisfy(StatePart.hasOwnRow)
            if writesState || change.endsJournal { stored.number = change.number }
            let replaced = Set(change.removedWaiting).union(change.waiting.map(\.number))
            stored.waiting.removeAll { replaced.contains($0.number) }
            stored.waiting += change.waiting
            stored.waiting.sort { $0.number < $1.number }
            devices[change.device] = change.isRemoved ? nil : stored
            expected[change.device] = checkpoint.states[change.device]
            lastNumber = max(lastNumber, change.number)
        }
        if let row = checkpoint.row { rows.append(row) }
        rows.removeAll { $0.number < checkpoint.firstRow }
    }
}
