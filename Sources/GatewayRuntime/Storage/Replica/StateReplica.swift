import GatewayConfiguration
import GatewayPipeline
import Glibc
import Logging
import NatsKeyValue
import Synchronization
import TelemetryModel

/// The copy of a gateway's states in a bucket of NATS's key-value store.
///
/// Every commit writes the states of its devices there before anything is acknowledged, each only if nobody else has written it since: a
/// gateway of the same name with a higher epoch is noticed, and its states stay. Its calls block.
final class StateReplica: Sendable {
    /// The key of the lanes and their streams; without it nothing in the bucket counts as whole.
    private static let layoutKey = "lanes"
    private static let layout = GatewayConfiguration.Lanes.Name.allCases.map { lane in
        "\(lane.rawValue): \(lane.streams.map(\.rawValue).sorted().joined(separator: " "))\n"
    }.joined()
    /// How often a start tries again what failed because of a server, and the pause before it.
    private static let patience = 40
    /// How often a hand-over tries again, which has to end before the stop times out.
    private static let handoverPatience = 4
    private static let pauseMicroseconds: UInt32 = 500_000

    private let bucket: FencedBucket
    private let logger: Logger
    private let contents = Mutex(Contents())

    private struct Contents {
        /// Everything that was there at the start, until all lanes are written.
        var entries: [String: KeyValueBucket.Entry] = [:]
        /// The lanes whose states are not all there yet.
        var unwritten = Set(GatewayConfiguration.Lanes.Name.allCases)
        /// Whether all states of all lanes are there.
        var isWhole = false
        /// Whether the gateway stops: nothing more is tried again.
        var isStopped = false
    }

    /// The copy in `bucket`.
    init(_ bucket: FencedBucket, logger: Logger) {
        self.bucket = bucket
        self.logger = logger
    }

    // MARK: Start

    /// Makes the bucket where there is none, and returns the epoch of its owner; 0 for none.
    func ownerEpoch() throws -> Int {
        try patiently {
            try bucket.make()
            return try bucket.owner()?.epoch ?? 0
        }
    }

    /// Decides which states are the latest, once the name is won: those in `directory`, or those in the store, which are then put in their
    /// place. Afterwards the bucket is this gateway's. Throws where that cannot be decided, or the later ones are in the store and not all
    /// there.
    func begin(_ directory: StateDirectory, _ gateway: StoppedGateway) throws {
        try patiently { try decide(directory, gateway) }
    }

    private func decide(_ directory: StateDirectory, _ gateway: StoppedGateway) throws {
        let entries = try bucket.entries()
        contents.withLock { $0.entries = entries }
        if let owner = FencedBucket.owner(in: entries) {
            try choose(between: directory, and: entries, of: owner, gateway)
        } else if !ReplicatedState.states(in: entries).isEmpty {
            throw GatewayError(
                "keyValue: the bucket \(bucket.name) holds states, and its key \(FencedBucket.ownerKey) cannot be read, so that it is not known "
                    + "whether they are later than those in \(directory.path): remove the bucket to begin with the latter")
        }
        try bucket.noteOwner()
        try trimMarks(entries)
        try directory.noteReplica(bucket.name, epoch: bucket.origin.epoch)
    }

    private func choose(
        between directory: StateDirectory, and entries: [String: KeyValueBucket.Entry], of owner: Claim, _ gateway: StoppedGateway
    ) throws {
        // This directory's own, whose hand-over was noted in the bucket alone: the sessions are still at the broker.
        let isOwn = directory.ownership.instances.contains(owner.instance)
        if owner.state == .released, !isOwn || directory.isHandedOver {
            throw GatewayError(
                "keyValue: the devices of the bucket \(bucket.name) were handed over to another gateway. Remove the bucket to begin "
                    + "with what is in \(directory.path)")
        }
        let isWhole = entries[Self.layoutKey]?.value == Array(Self.layout.utf8)
        let noted = directory.replicaEpoch(of: bucket.name)
        // The instance is stored before the name is claimed: its states were in this directory, unless they were being replaced.
        let wasOwner = (noted ?? 1) > 0 && isOwn
        let own = wasOwner ? owner.epoch : noted
        if let own, own >= owner.epoch {
            if noted == nil { try forgetMarks() }
            guard isWhole else { return }
            // Without a note the directory was changed beside the bucket, which counts as incomplete until all lanes are written.
            guard noted != nil else { return try bucket.remove([Self.layoutKey]) }
            guard try Name.allCases.allSatisfy({ try isLatest($0, in: directory, entries, of: owner) }) else {
                return try restore(entries, to: directory, gateway, of: owner, since: own)
            }
        } else if own == nil, !directory.isEmpty {
            throw GatewayError(
                "keyValue: both \(directory.path) and the bucket \(bucket.name) hold states, and it is not known which are the latest: "
                    + "move aside the directory, or remove the bucket")
        } else {
            guard isWhole else {
                throw GatewayError(
                    "keyValue: the bucket \(bucket.name) holds only a part of the states of its last owner, on \(owner.host), and "
                        + "\(directory.path) has none that are later: start the gateway there, or remove the bucket to begin with what is "
                        + "in \(directory.path)")
            }
            try restore(entries, to: directory, gateway, of: owner, since: abs(own ?? 0))
        }
    }

    /// Records that erasures up to now may have no marks: directories of earlier epochs do not keep their histories.
    private func forgetMarks() throws { try bucket.put(ErasureMarks.beginning, ErasureMarks.value) }

    /// Begins to mark erasures where there are no marks yet, and begins anew where there are too many.
    private func trimMarks(_ entries: [String: KeyValueBucket.Entry]) throws {
        let marks = ErasureMarks.keys(in: entries)
        let isNew = entries[ErasureMarks.beginning]?.value.isEmpty ?? true
        guard isNew || marks.count > ErasureMarks.most else { return }
        try forgetMarks()
        try bucket.remove(marks)
    }

    private typealias Name = GatewayConfiguration.Lanes.Name

    /// Whether a directory has a lane's latest states. The file is there, and neither this start nor one before it that was
    /// interrupted had to make it anew, as it was damaged; nor is a row in it damaged. It is no copy from before the last commits of
    /// its owner either, such as a snapshot.
    private func isLatest(
        _ lane: GatewayConfiguration.Lanes.Name, in directory: StateDirectory, _ entries: [String: KeyValueBucket.Entry],
        of owner: Claim
    ) throws -> Bool {
        guard directory.hasStore(of: lane) else { return false }
        let store = try directory.store(of: lane)
        let present = ReplicatedState.states(in: entries).filter { $0.lane == lane }.map(\.entry)
        guard !store.isNew, try present.isEmpty || (store.holdsStates() && !store.holdsDamage()) else { return false }
        return !ErasureMarks.isBehind(try store.lastCheckpoint(), of: lane, owner.epoch, entries)
    }

    /// Puts the states of the store in the place of those in `directory`, which had the same under the epoch `since`.
    private func restore(
        _ entries: [String: KeyValueBucket.Entry], to directory: StateDirectory, _ gateway: StoppedGateway, of owner: Claim,
        since: Int
    ) throws {
        try directory.noteReplica(bucket.name, epoch: -since)
        let own = bucket.origin
        var states: [GatewayConfiguration.Lanes.Name: [RestoredState]] = [:]
        for (lane, device, entry) in ReplicatedState.states(in: entries) {
            let origin = try ReplicatedState.origin(of: entry)
            let stored = ReplicatedState.stored(try ReplicatedState.bytes(of: entry, in: entries), of: device)
            var restored = try RestoredState(whole: stored) { part in
                GatewayError(
                    "keyValue: the bucket \(bucket.name) holds what this build cannot read, and would overwrite: \(part). Use the build that "
                        + "wrote it, or a later one; or remove the bucket to begin with what is in \(directory.path)")
            }
            if origin.machine != own.machine { restored.state.shiftMonotonic(by: origin.saved.shift(to: own.saved)) }
            states[lane, default: []].append(restored)
        }
        let count = Set(states.values.flatMap { $0.map(\.device) }).count
        logger.notice(
            "the states of the key-value store are later than those in the state directory: they are restored",
            metadata: ["devices": "\(count)", "epoch": "\(owner.epoch)"])
        try gateway.replaceAll(by: states, epoch: owner.epoch) { lane, checkpoint in
            ErasureMarks.erased(in: lane, after: checkpoint, since, owner: owner.epoch, by: entries)
        }
    }

    // MARK: Lanes

    /// Records that commits which are not written to it follow: it is incomplete until all lanes are written.
    func noteIncomplete() throws {
        try patiently {
            try forgetMarks()
            try bucket.remove([Self.layoutKey])
        }
    }

    /// Writes every state of `store` that differs from what the bucket holds, once the lane has restored it, and removes what else that holds of
    /// the lane.
    func synchronize(_ lane: GatewayConfiguration.Lanes.Name, with store: CheckpointStore) throws {
        try patiently { try writeAll(of: lane, in: store) }
    }

    /// Returns when all lanes are written.
    func awaitWhole() throws {
        while !contents.withLock(\.isWhole) {
            try requireGoingOn()
            usleep(Self.pauseMicroseconds / 10)
        }
    }

    private func writeAll(of lane: GatewayConfiguration.Lanes.Name, in store: CheckpointStore) throws {
        let entries = contents.withLock(\.entries)
        let stored = try store.storedStates()
        let present = Dictionary(uniqueKeysWithValues: stored.map { (ReplicatedState.key(of: $0.device, in: lane), $0) })
        let machine = bucket.origin.machine
        let differing = present.filter { key, stored in
            guard let entry = entries[key], !entry.value.isEmpty, let origin = try? ReplicatedState.origin(of: entry),
                origin.machine == machine
            else { return true }
            return (try? ReplicatedState.bytes(of: entry, in: entries)) != ReplicatedState.bytes(of: stored)
        }
        try bucket.write(differing.mapValues { ReplicatedState.bytes(of: $0) }, checkpoint: store.lastCheckpoint())
        let gone = entries.keys.filter { ReplicatedState.place(of: $0)?.lane == lane && present[$0] == nil }
        // A commit whose marks are written may have been the last before a kill.
        try bucket.mark(
            gone.compactMap { ReplicatedState.place(of: $0) }.map { ErasureMarks.key(of: $0.device, in: lane) },
            checkpoint: store.lastCheckpoint())
        try bucket.remove(gone)
        let isLast = contents.withLock { contents in
            contents.unwritten.remove(lane)
            return contents.unwritten.isEmpty
        }
        guard isLast else { return }
        try bucket.put(Self.layoutKey, Array(Self.layout.utf8))
        contents.withLock { ($0.isWhole, $0.entries) = (true, [:]) }
    }

    /// Ends every attempt, as the gateway stops. Before the copy is whole nothing can be acknowledged, so that no call is waited for.
    func stop() {
        let isWhole = contents.withLock { contents in
            contents.isStopped = true
            return contents.isWhole
        }
        if !isWhole { bucket.interrupt() }
    }

    private func requireGoingOn() throws {
        guard !bucket.isLost else {
            throw GatewayError("another gateway took over before the states were in the key-value store")
        }
        if contents.withLock({ $0.isStopped }) { throw Stopped() }
    }

    /// The gateway stops, which is not the fault of the store.
    struct Stopped: Error, CustomStringConvertible {
        /// One line for a log.
        let description = "the gateway stops before its states are in the key-value store"
    }

    /// Writes what `store` now holds of `devices` in `lane`. When this returns, the store has it.
    func write(
        _ devices: Set<DeviceID>, of lane: GatewayConfiguration.Lanes.Name, in store: CheckpointStore,
        whileWaiting: () -> Void = {}
    ) throws {
        var (values, gone): ([String: [UInt8]], [String]) = ([:], [])
        for (device, stored) in try store.storedStates(of: devices) {
            let key = ReplicatedState.key(of: device, in: lane)
            if let stored { values[key] = ReplicatedState.bytes(of: stored) } else { gone.append(key) }
        }
        try bucket.write(values, checkpoint: store.lastCheckpoint(), whileWaiting: whileWaiting)
        try bucket.remove(gone, whileWaiting: whileWaiting)
    }

    /// Marks what `changes` erase, before `store` has them: its next checkpoint is the first without it.
    func mark(
        _ changes: [StateChange], of lane: GatewayConfiguration.Lanes.Name, in store: CheckpointStore, whileWaiting: () -> Void
    ) throws {
        let keys = ErasureMarks.keys(of: changes, in: lane)
        if !keys.isEmpty { try bucket.mark(keys, checkpoint: store.lastCheckpoint() + 1, whileWaiting: whileWaiting) }
    }

    /// Records that the devices are another gateway's: a start on another machine must not take them.
    func noteHandover() throws {
        try patiently(Self.handoverPatience, untilStopped: false) { try bucket.noteOwner(as: .released) }
    }

    /// Repeats up to `times` what failed because of a server, while a cluster elects a leader or the next server is tried; `untilStopped` or also
    /// while the gateway stops.
    private func patiently<Value>(
        _ times: Int = patience, untilStopped: Bool = true, _ body: () throws -> Value
    ) throws -> Value {
        var isReported = false
        var left = times
        while true {
            do { return try body() } catch let error as NatsError {
                if untilStopped { try requireGoingOn() }
                guard left > 0 else { throw error }
                left -= 1
                if !isReported {
                    logger.warning("the key-value store cannot be used: trying again", metadata: ["reason": "\(error)"])
                }
                isReported = true
                usleep(Self.pauseMicroseconds)
            }
        }
    }
}

/// The copy of one lane's states.
struct LaneReplica: Sendable {
    let replica: StateReplica
    let lane: GatewayConfiguration.Lanes.Name

    /// Writes every state that differs, see `StateReplica.synchronize`.
    func synchronize(with store: CheckpointStore) throws {
        try replica.synchronize(lane, with: store)
    }

    /// Marks what `changes` erase, see `StateReplica.mark`.
    func mark(_ changes: [StateChange], in store: CheckpointStore, whileWaiting: () -> Void) throws {
        try replica.mark(changes, of: lane, in: store, whileWaiting: whileWaiting)
    }

    /// Writes what `store` now holds of `devices`.
    func write(_ devices: Set<DeviceID>, in store: CheckpointStore, whileWaiting: () -> Void) throws {
        guard !devices.isEmpty else { return }
        try replica.write(devices, of: lane, in: store, whileWaiting: whileWaiting)
    }
}
