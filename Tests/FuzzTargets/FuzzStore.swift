import GatewayPipeline
import TelemetryModel

/// What a gateway has written of its devices, in memory.
struct FuzzStore {
    private var devices: [DeviceID: StoredState] = [:]

    /// Everything that was written.
    var states: [StoredState] { devices.keys.sorted().compactMap { devices[$0] } }

    /// Applies changes as the files do.
    mutating func write(_ changes: [StateChange]) {
        for change in changes {
            var stored =
                change.replacesAll
                ? StoredState(device: change.device) : devices[change.device] ?? StoredState(device: change.device)
            for name in change.removedParts { stored.parts[name] = nil }
            for part in change.parts { stored.parts[part.name] = part }
            stored.waiting.removeAll { change.removedWaiting.contains($0.number) }
            stored.waiting += change.waiting
            stored.waiting.sort { $0.number < $1.number }
            devices[change.device] = change.isRemoved ? nil : stored
        }
    }
}
