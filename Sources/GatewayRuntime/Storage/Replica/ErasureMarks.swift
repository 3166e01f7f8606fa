import GatewayConfiguration
import GatewayPipeline
import NatsKeyValue
import TelemetryModel

/// What a bucket knows of erasures: a key for each lane and device of which something was erased, with the epoch and the checkpoint.
///
/// Recorded acceleration and stored events are in no bucket. A directory in which states are replaced keeps its own of them, but
/// for what was erased since, on another machine or after the directory was copied. A key has a hash of the device's id.
enum ErasureMarks {
    /// The key that is written when nothing is known of erasures under earlier epochs.
    static let beginning = "erased"
    /// More keys are removed at a start: directories of earlier epochs then lose their histories.
    static let most = 1_000
    /// Nothing stored is empty: that is a key that was removed.
    static let value = Array("1".utf8)
    private static let everything = ""

    /// The keys of what `changes` erase in `lane`.
    static func keys(of changes: [StateChange], in lane: GatewayConfiguration.Lanes.Name) -> Set<String> {
        Set(
            changes.flatMap { change in
                let device = key(of: change.device, in: lane)
                return (change.erasesHistory || change.isRemoved ? [device] : []) + change.erasedKinds.map { "\(device)/\($0)" }
            })
    }

    /// The key of a device of which everything was erased.
    static func key(of device: DeviceID, in lane: GatewayConfiguration.Lanes.Name) -> String {
        "\(beginning).\(lane.rawValue).\(hash(of: device))"
    }

    /// The keys in `entries`.
    static func keys(in entries: [String: KeyValueBucket.Entry]) -> [String] {
        entries.values.filter { !$0.value.isEmpty && $0.key.hasPrefix("\(beginning).") }.map(\.key)
    }

    /// What was erased in `lane` after its file was at `checkpoint` under `epoch`; nil where that is not known. `owner` is the epoch
    /// under which the bucket was written last.
    static func erased(
        in lane: GatewayConfiguration.Lanes.Name, after checkpoint: UInt64, _ epoch: Int, owner: Int,
        by entries: [String: KeyValueBucket.Entry]
    ) -> Erased? {
        guard let beginning = entries[beginning], !beginning.value.isEmpty, ReplicatedState.epoch(of: beginning) <= epoch else {
            return nil
        }
        var kinds: [String: Set<String>] = [:]
        for key in keys(in: entries) {
            let levels = key.split(separator: ".", maxSplits: 2)
            guard let entry = entries[key], levels.count == 3, levels[1] == lane.rawValue else { continue }
            let other = ReplicatedState.epoch(of: entry)
            guard other > epoch || (other == epoch && ReplicatedState.checkpoint(of: entry) > checkpoint) else { continue }
            let names = levels[2].split(separator: "/", maxSplits: 1)
            kinds[String(names[0]), default: []].insert(names.count > 1 ? String(names[1]) : everything)
        }
        return Erased(kinds: kinds, includesRemoved: epoch < owner || isBehind(checkpoint, of: lane, owner, entries))
    }

    /// Whether the bucket has states that its owner has committed after `checkpoint`: a file at that one is a copy from before.
    static func isBehind(
        _ checkpoint: UInt64, of lane: GatewayConfiguration.Lanes.Name, _ owner: Int, _ entries: [String: KeyValueBucket.Entry]
    ) -> Bool {
        ReplicatedState.states(in: entries).contains { state in
            state.lane == lane && ReplicatedState.epoch(of: state.entry) == owner
                && ReplicatedState.checkpoint(of: state.entry) > checkpoint
        }
    }

    private static func hash(of device: DeviceID) -> String {
        var hash = FNV1a64()
        hash.add(device.rawValue)
        return hash.digits
    }

    /// Erasures that a file does not have.
    struct Erased {
        /// The kinds by the hash of the device.
        fileprivate var kinds: [String: Set<String>] = [:]
        /// Whether everything may have been erased of devices that had left the registry: that has no mark.
        var includesRemoved = false

        /// Whether everything of a device was erased.
        func isErased(_ device: DeviceID) -> Bool { kinds[hash(of: device)]?.contains(everything) ?? false }

        /// The kinds of which the messages of a device were erased.
        func kinds(of device: DeviceID) -> [String] { kinds[hash(of: device)]?.subtracting([everything]).sorted() ?? [] }
    }
}
