import GatewayConfiguration
import GatewayPipeline
import Glibc
import Logging
import Mosquitto
import NatsKeyValue
import Synchronization
import TelemetryModel

/// The copy of a gateway's states in a bucket of NATS's key-value store.
///
/// Every commit writes the states of its devices there before anything is acknowledged, each only if nobody else has written it since: a
/// gateway of the same name with a higher epoch is noticed, and its states stay. Its calls block.
final class StateReplica: Sendable {
    /// The key of the gateway that owns the bucket; its value is that gateway's claim.
    private static let ownerKey = "owner"
    /// The key that is written before everything is read: what is read then includes it, and so all that was written before.
    private static let fenceKey = "fence"
    /// The key of the lanes; without it nothing in the bucket counts as whole.
    private static let layoutKey = "lanes"
    /// How often a write is tried that others' writes prevent.
    private static let attempts = 4
    /// How often a start tries again what failed because of a server, and the pause before it.
    private static let patience = 40
    private static let pauseMicroseconds: UInt32 = 500_000

    private let bucket: KeyValueBucket
    private let ownership: Ownership
    private let machine: String
    private let clock: any GatewayClock
    private let logger: Logger
    private let contents = Mutex(Contents())

    private struct Contents {
        /// The number of the last write of each key.
        var revisions: [String: UInt64] = [:]
        /// The keys of further pieces, in force or left behind, by the key of the first.
        var further: [String: Set<String>] = [:]
        /// Everything that was there at the start, until all lanes are written.
        var entries: [String: KeyValueBucket.Entry] = [:]
        /// The lanes that run.
        var layout = ReplicaLayout([:])
        /// The lanes whose states are not all there yet.
        var unwritten: Set<GatewayConfiguration.Lanes.Name> = []
        /// Whether all states of all lanes are there.
        var isWhole = false
        /// Whether the gateway stops: nothing more is tried again.
        var isStopped = false
    }

    /// The copy in `bucket`, whose states have the monotonic clock of `machine`.
    init(_ bucket: KeyValueBucket, ownership: Ownership, machine: String, clock: any GatewayClock, logger: Logger) {
        self.bucket = bucket
        self.ownership = ownership
        self.machine = machine
        self.clock = clock
        self.logger = logger
    }

    private var origin: ReplicatedState.Origin {
        .init(epoch: ownership.permit.epoch ?? 0, machine: machine, saved: clock.now)
    }

    // MARK: Start

    /// Makes the bucket where there is none, and returns the epoch of its owner; 0 for none.
    func ownerEpoch() throws -> Int {
        try patiently {
            try bucket.make()
            return try owner()?.epoch ?? 0
        }
    }

    private func owner() throws -> Claim? { try bucket.entry(Self.ownerKey).flatMap { Claim($0.value) } }

    /// Decides which states are the latest, once the name is won: those in `directory`, or those in the store, which are then put in their
    /// place. Afterwards the bucket is this gateway's. Throws where that cannot be decided, or the store holds only a part of them.
    func begin(_ directory: StateDirectory, _ gateway: StoppedGateway) throws {
        try patiently { try decide(directory, gateway) }
    }

    private func decide(_ directory: StateDirectory, _ gateway: StoppedGateway) throws {
        let entries = try allEntries()
        contents.withLock { contents in
            contents.entries = entries
            contents.revisions = entries.mapValues(\.revision)
            contents.further = [:]
            for key in entries.keys {
                if let first = ReplicatedState.firstKey(ofPiece: key) { contents.further[first, default: []].insert(key) }
            }
        }
        let owner = entries[Self.ownerKey].flatMap { Claim($0.value) }
        if let owner, let layout = layout(in: entries) {
            if owner.state == .released {
                throw GatewayError(
                    "keyValue: the devices of the bucket \(bucket.name) were handed over to another gateway. Remove the bucket to begin "
                        + "with what is in \(directory.path)")
            }
            // The instance is stored before the name is claimed: its states were in this directory.
            let wasOwner = directory.ownership.instances.contains(owner.instance)
            let own = wasOwner ? owner.epoch : directory.replicaEpoch(of: bucket.name)
            // A file that is missing, or was damaged and moved aside, is as if the directory were older.
            let isWhole = try layout.streams.keys.allSatisfy { try directory.hasStore(of: $0) && !directory.store(of: $0).isNew }
            if own.map({ $0 < owner.epoch || !isWhole }) ?? directory.isEmpty {
                try restore(entries, layout, to: directory, gateway, epoch: owner.epoch)
            } else if own == nil {
                throw GatewayError(
                    "keyValue: both \(directory.path) and the bucket \(bucket.name) hold states, and it is not known which are the latest: "
                        + "move aside the directory, or remove the bucket")
            }
        }
        try take(Self.ownerKey, ownership.claim.payload)
        try directory.noteReplica(bucket.name, epoch: origin.epoch)
    }

    /// Everything in the bucket, with whatever was written before this call.
    private func allEntries() throws -> [String: KeyValueBucket.Entry] {
        let revision = try take(Self.fenceKey, Array("\(origin.epoch)".utf8))
        for _ in 0..<Self.attempts {
            let entries = try bucket.entries()
            if let fence = entries[Self.fenceKey], fence.revision >= revision { return entries }
        }
        throw NatsError("the bucket \(bucket.name) is read from a server that does not have what was written last")
    }

    private func layout(in entries: [String: KeyValueBucket.Entry]) -> ReplicaLayout? {
        entries[Self.layoutKey].flatMap { ReplicaLayout($0.value) }
    }

    /// Puts the states of the store in the place of those in `directory`.
    private func restore(
        _ entries: [String: KeyValueBucket.Entry], _ layout: ReplicaLayout, to directory: StateDirectory,
        _ gateway: StoppedGateway, epoch: Int
    ) throws {
        // A start after one that is interrupted here restores again.
        try directory.noteReplica(bucket.name, epoch: 0)
        let now = clock.now
        var states: [GatewayConfiguration.Lanes.Name: [RestoredState]] = [:]
        for entry in entries.values.sorted(by: { $0.key < $1.key }) where !entry.value.isEmpty {
            let levels = entry.key.split(separator: ".")
            guard levels.count == 2, let lane = GatewayConfiguration.Lanes.Name(rawValue: String(levels[0])),
                let device = DeviceID(String(levels[1])), layout.streams[lane] != nil
            else { continue }
            let origin = try ReplicatedState.origin(of: entry)
            let stored = ReplicatedState.stored(try ReplicatedState.bytes(of: entry, in: entries), of: device)
            var restored = RestoredState(stored) { directory.report($0) }
            if origin.machine != machine { restored.state.shiftMonotonic(by: origin.saved.shift(to: now)) }
            states[lane, default: []].append(restored)
        }
        let count = Set(states.values.flatMap { $0.map(\.device) }).count
        logger.notice(
            "the states of the key-value store are later than those in the state directory: they are restored",
            metadata: ["devices": "\(count)", "epoch": "\(epoch)"])
        try gateway.replaceAll(by: states, streams: layout.streams, epoch: epoch)
    }

    // MARK: Lanes

    /// Names the lanes that run, before states move between their files. Where the bucket has others it counts as incomplete from now on, until
    /// all lanes are written.
    func expect(_ lanes: [GatewayConfiguration.Lanes.Name: Set<StreamName>]) throws {
        let layout = ReplicaLayout(lanes)
        let present = contents.withLock { contents in
            (contents.layout, contents.unwritten) = (layout, Set(lanes.keys))
            return self.layout(in: contents.entries)
        }
        if let present, present != layout { try patiently { try remove([Self.layoutKey]) } }
    }

    /// Writes every state of `store` that differs from what the bucket holds, once the lane has restored it, and removes what else that holds of
    /// the lane. Returns when all lanes have done so: before that nothing may be acknowledged, as the copy is not whole.
    func synchronize(_ lane: GatewayConfiguration.Lanes.Name, with store: CheckpointStore) throws {
        try patiently { try writeAll(of: lane, in: store) }
        while !contents.withLock({ $0.isWhole }) {
            try requireGoingOn()
            usleep(Self.pauseMicroseconds / 10)
        }
    }

    private func writeAll(of lane: GatewayConfiguration.Lanes.Name, in store: CheckpointStore) throws {
        let (entries, layout) = contents.withLock { ($0.entries, $0.layout) }
        let stored = try store.storedStates()
        let present = Dictionary(uniqueKeysWithValues: stored.map { (ReplicatedState.key(of: $0.device, in: lane.rawValue), $0) })
        let differing = present.filter { key, stored in
            guard let entry = entries[key], !entry.value.isEmpty, let origin = try? ReplicatedState.origin(of: entry),
                origin.machine == machine
            else { return true }
            return (try? ReplicatedState.bytes(of: entry, in: entries)) != ReplicatedState.bytes(of: stored)
        }
        try write(differing.mapValues { ReplicatedState.bytes(of: $0) })
        let isLast = contents.withLock { contents in
            contents.unwritten.remove(lane)
            return contents.unwritten.isEmpty
        }
        try remove(
            entries.keys.filter { $0.hasPrefix("\(lane.rawValue).") && $0.split(separator: ".").count == 2 && present[$0] == nil }
        )
        guard isLast else { return }
        // Of lanes that do not run.
        try remove(
            entries.keys.filter { key in
                let levels = key.split(separator: ".")
                let name = levels.count == 2 ? GatewayConfiguration.Lanes.Name(rawValue: String(levels[0])) : nil
                return name.map { layout.streams[$0] == nil } ?? false
            })
        try take(Self.layoutKey, layout.bytes)
        contents.withLock { ($0.isWhole, $0.entries) = (true, [:]) }
    }

    /// Ends every attempt, as the gateway stops.
    func stop() { contents.withLock { $0.isStopped = true } }

    private func requireGoingOn() throws {
        guard !contents.withLock({ $0.isStopped }), ownership.permit.passage != .lost else {
            throw GatewayError("the gateway stops before its states are in the key-value store")
        }
    }

    /// Writes what `store` now holds of `devices` in `lane`. When this returns, the store has it.
    func write(
        _ devices: Set<DeviceID>, of lane: GatewayConfiguration.Lanes.Name, in store: CheckpointStore,
        whileWaiting: () -> Void = {}
    ) throws {
        var (values, gone): ([String: [UInt8]], [String]) = ([:], [])
        for (device, stored) in try store.storedStates(of: devices) {
            let key = ReplicatedState.key(of: device, in: lane.rawValue)
            if let stored { values[key] = ReplicatedState.bytes(of: stored) } else { gone.append(key) }
        }
        try write(values, whileWaiting: whileWaiting)
        try remove(gone, whileWaiting: whileWaiting)
    }

    /// Records that the devices are another gateway's: a start on another machine must not take them.
    func noteHandover() throws {
        var claim = ownership.claim
        claim.state = .released
        _ = try patiently { try take(Self.ownerKey, claim.payload) }
    }

    /// Repeats what failed because of a server, while a cluster elects a leader or the next server is tried.
    private func patiently<Value>(_ body: () throws -> Value) throws -> Value {
        var isReported = false
        for _ in 0..<Self.patience {
            do { return try body() } catch let error as NatsError {
                if !isReported {
                    logger.warning("the key-value store cannot be used: trying again", metadata: ["reason": "\(error)"])
                }
                isReported = true
                try requireGoingOn()
                usleep(Self.pauseMicroseconds)
            }
        }
        return try body()
    }

    // MARK: Writing

    private func write(_ values: [String: [UInt8]], whileWaiting: () -> Void = {}) throws {
        var (further, first): ([KeyValueBucket.Write], [KeyValueBucket.Write]) = ([], [])
        var names: [String: Set<String>] = [:]
        let origin = origin
        for (key, bytes) in values.sorted(by: { $0.key < $1.key }) {
            let pieces = ReplicatedState.pieces(of: bytes)
            let tag = pieces.count > 1 ? ReplicatedState.newTag : ""
            for (number, piece) in pieces.enumerated().dropFirst() {
                let name = ReplicatedState.key(ofPiece: number, tag: tag, after: key)
                further.append(.init(key: name, fields: ReplicatedState.fields(origin), value: piece, over: revision(of: name)))
                names[key, default: []].insert(name)
            }
            let fields = ReplicatedState.fields(origin, pieces: pieces.count, tag: tag)
            first.append(.init(key: key, fields: fields, value: pieces[0], over: revision(of: key)))
        }
        // Known before they are written: what is left behind by a failure is removed by a later write.
        contents.withLock { $0.further.merge(names) { $0.union($1) } }
        try carryOut(further, whileWaiting)
        try carryOut(first, whileWaiting)
        let unused = contents.withLock { contents in
            values.keys.flatMap { (contents.further[$0] ?? []).subtracting(names[$0] ?? []) }
        }
        try remove(unused, whileWaiting: whileWaiting)
        if !unused.isEmpty { contents.withLock { contents in for key in values.keys { contents.further[key] = names[key] } } }
    }

    /// Removes keys that exist, and the further pieces of their values.
    private func remove(_ keys: some Sequence<String>, whileWaiting: () -> Void = {}) throws {
        let all = keys.flatMap { key in [key] + (contents.withLock { $0.further[key] } ?? []) }
        let present = all.filter { revision(of: $0) > 0 }
        guard !present.isEmpty else { return }
        // Written empty first, which fails where another has written; the purge reaches no further than that.
        let fields = ReplicatedState.fields(origin)
        try carryOut(present.map { .init(key: $0, fields: fields, value: [], over: revision(of: $0)) }, whileWaiting)
        for key in present {
            try bucket.remove(key, upTo: revision(of: key), whileWaiting: whileWaiting)
            contents.withLock { ($0.revisions[key], $0.further[key]) = (nil, nil) }
        }
    }

    @discardableResult
    private func take(_ key: String, _ value: [UInt8]) throws -> UInt64 {
        let fields = ReplicatedState.fields(origin)
        try carryOut([.init(key: key, fields: fields, value: value, over: revision(of: key))]) {}
        return revision(of: key)
    }

    private func revision(of key: String) -> UInt64 { contents.withLock { $0.revisions[key] ?? 0 } }

    /// Carries out writes. A key that another has written meanwhile is overwritten if its writer's epoch is not higher: that was this gateway, or
    /// one that has lost the name since. Otherwise this gateway has lost it.
    private func carryOut(_ writes: [KeyValueBucket.Write], _ whileWaiting: () -> Void) throws {
        var left = writes
        for _ in 0..<Self.attempts where !left.isEmpty {
            guard ownership.permit.passage != .lost else { throw GatewayError("another gateway has taken over") }
            let outcomes = try bucket.write(left, whileWaiting: whileWaiting)
            var again: [KeyValueBucket.Write] = []
            for (var write, outcome) in zip(left, outcomes) {
                switch outcome {
                case .stored(let revision): contents.withLock { $0.revisions[write.key] = revision }
                case .conflict:
                    write.revision = try revisionToOverwrite(write.key, whileWaiting)
                    again.append(write)
                }
            }
            left = again
        }
        guard left.isEmpty else { throw GatewayError("keyValue: \(left[0].key) is written by another at the same time") }
    }

    private func revisionToOverwrite(_ key: String, _ whileWaiting: () -> Void) throws -> UInt64 {
        let entry = try bucket.entry(key, whileWaiting: whileWaiting)
        // A key that is gone was removed by the owner.
        let owner = entry == nil ? try owner() : nil
        let epoch = entry.map(ReplicatedState.epoch) ?? owner?.epoch ?? 0
        guard epoch > origin.epoch else { return entry?.revision ?? 0 }
        if let owner = try owner ?? self.owner() { ownership.lose(to: owner) }
        throw GatewayError("keyValue: \(key) was written by a gateway of a higher epoch")
    }
}

/// The copy of one lane's states.
struct LaneReplica: Sendable {
    let replica: StateReplica
    let plan: LanePlan

    /// Writes every state that differs, see `StateReplica.synchronize`.
    func synchronize(with store: CheckpointStore) throws {
        try replica.synchronize(plan.name, with: store)
    }

    /// Writes what `store` now holds of the devices of `changes`.
    func write(_ changes: [StateChange], in store: CheckpointStore, whileWaiting: () -> Void) throws {
        guard !changes.isEmpty else { return }
        try replica.write(Set(changes.map(\.device)), of: plan.name, in: store, whileWaiting: whileWaiting)
    }
}
