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
        /// What is stored under each key; further pieces too.
        var revisions: [String: UInt64] = [:]
        /// The turn of each value in force and its further pieces, by the key of the first.
        var places: [String: Place] = [:]
        /// Everything that was there at the start, until all lanes are written.
        var entries: [String: KeyValueBucket.Entry] = [:]
        /// The lanes whose states are not all there yet.
        var unwritten: Set<GatewayConfiguration.Lanes.Name> = []
        /// The keys of lanes that do not run.
        var left: Set<String> = []
    }

    private struct Place {
        var turn = 0
        var further: [String] = []
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
            contents.places = entries.mapValues {
                Place(turn: ReplicatedState.turn(of: $0), further: ReplicatedState.furtherKeys(of: $0))
            }
        }
        let owner = entries[Self.ownerKey].flatMap { Claim($0.value) }
        let lanes = lanes(in: entries)
        if let owner, !lanes.isEmpty {
            if owner.state == .released {
                throw GatewayError(
                    "keyValue: the devices of the bucket \(bucket.name) were handed over to another gateway. Remove the bucket to begin "
                        + "with what is in \(directory.path)")
            }
            let own = directory.replicaEpoch(of: bucket.name)
            // A file that is missing, or was damaged and moved aside, is as if the directory were older.
            let isWhole = try lanes.keys.allSatisfy { try directory.hasStore(of: $0) && !directory.store(of: $0).isNew }
            if own.map({ $0 < owner.epoch || !isWhole }) ?? directory.isEmpty {
                try restore(entries, lanes, to: directory, gateway, epoch: owner.epoch)
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
        throw GatewayError("keyValue: the bucket \(bucket.name) is read from a server that does not have what was written last")
    }

    private func lanes(
        in entries: [String: KeyValueBucket.Entry]
    ) -> [GatewayConfiguration.Lanes.Name: ReplicaLane] {
        GatewayConfiguration.Lanes.Name.allCases.reduce(into: [:]) { lanes, name in
            lanes[name] = entries[name.rawValue].flatMap { ReplicaLane($0.value) }
        }
    }

    /// Puts the states of the store in the place of those in `directory`.
    private func restore(
        _ entries: [String: KeyValueBucket.Entry], _ lanes: [GatewayConfiguration.Lanes.Name: ReplicaLane],
        to directory: StateDirectory, _ gateway: StoppedGateway, epoch: Int
    ) throws {
        // A start after one that is interrupted here restores again.
        try directory.noteReplica(bucket.name, epoch: 0)
        let now = clock.now
        var states: [GatewayConfiguration.Lanes.Name: [RestoredState]] = [:]
        for entry in entries.values.sorted(by: { $0.key < $1.key }) where !entry.value.isEmpty {
            let levels = entry.key.split(separator: ".")
            guard levels.count == 2, let lane = GatewayConfiguration.Lanes.Name(rawValue: String(levels[0])),
                let device = DeviceID(String(levels[1])), gateway.owns(device)
            else { continue }
            guard lanes[lane] != nil else {
                throw GatewayError("keyValue: the bucket \(bucket.name) does not hold all states of the lane \(lane.rawValue)")
            }
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
        try gateway.replaceAll(by: states, streams: lanes.mapValues(\.streamNames), epoch: epoch)
    }

    // MARK: Lanes

    /// Names the lanes that run. Once all of them are written, what the store holds of others is removed.
    func expect(_ lanes: [GatewayConfiguration.Lanes.Name]) {
        let running = Set(lanes.map(\.rawValue))
        contents.withLock { contents in
            contents.unwritten = Set(lanes)
            contents.left = contents.revisions.keys.filter { key in
                let lane = String(key.prefix { $0 != "." })
                return GatewayConfiguration.Lanes.Name(rawValue: lane) != nil && !running.contains(lane)
            }.reduce(into: []) { $0.insert($1) }
        }
    }

    /// Writes every state of `store` that differs from what the store holds, once the lane has restored it, and removes what else that holds of
    /// the lane.
    func synchronize(_ lane: GatewayConfiguration.Lanes.Name, streams: Set<StreamName>, with store: CheckpointStore) throws {
        try patiently { try writeAll(of: lane, streams: streams, in: store) }
    }

    private func writeAll(of lane: GatewayConfiguration.Lanes.Name, streams: Set<StreamName>, in store: CheckpointStore) throws {
        let entries = contents.withLock { $0.entries }
        let stored = try store.storedStates()
        let present = Dictionary(uniqueKeysWithValues: stored.map { (ReplicatedState.key(of: $0.device, in: lane.rawValue), $0) })
        let differing = try present.filter { key, stored in
            guard let entry = entries[key], !entry.value.isEmpty, let origin = try? ReplicatedState.origin(of: entry),
                origin.machine == machine
            else { return true }
            return try ReplicatedState.bytes(of: entry, in: entries) != ReplicatedState.bytes(of: stored)
        }
        try write(differing.mapValues { ReplicatedState.bytes(of: $0) })
        let prefix = "\(lane.rawValue)."
        let gone = entries.keys.filter { key in
            key.hasPrefix(prefix) && key.split(separator: ".").count == 2 && present[key] == nil
        }
        try remove(gone)
        try take(lane.rawValue, ReplicaLane(epoch: origin.epoch, streams: streams).bytes)
        let left: Set<String> = contents.withLock { contents in
            contents.unwritten.remove(lane)
            guard contents.unwritten.isEmpty else { return [] }
            defer { (contents.left, contents.entries) = ([], [:]) }
            return contents.left
        }
        // Those of a lane's name first: without it, what is left of the lane counts as incomplete.
        try remove(left.sorted { ($0.contains(".") ? 1 : 0, $0) < ($1.contains(".") ? 1 : 0, $1) })
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
        try take(Self.ownerKey, claim.payload)
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
                usleep(Self.pauseMicroseconds)
            }
        }
        return try body()
    }

    // MARK: Writing

    private func write(_ values: [String: [UInt8]], whileWaiting: () -> Void = {}) throws {
        var (further, first): ([KeyValueBucket.Write], [KeyValueBucket.Write]) = ([], [])
        var places: [String: Place] = [:]
        let origin = origin
        let epoch = ReplicatedState.fields(origin, pieces: 1, turn: 0)
        for (key, bytes) in values.sorted(by: { $0.key < $1.key }) {
            let pieces = ReplicatedState.pieces(of: bytes)
            var place = Place(turn: 1 - (contents.withLock { $0.places[key]?.turn } ?? 1))
            for (number, piece) in pieces.enumerated().dropFirst() {
                let name = ReplicatedState.key(ofPiece: number, turn: place.turn, after: key)
                further.append(.init(key: name, fields: epoch, value: piece, over: revision(of: name)))
                place.further.append(name)
            }
            let fields = ReplicatedState.fields(origin, pieces: pieces.count, turn: place.turn)
            first.append(.init(key: key, fields: fields, value: pieces[0], over: revision(of: key)))
            places[key] = place
        }
        try carryOut(further, whileWaiting)
        try carryOut(first, whileWaiting)
        let unused = contents.withLock { contents in
            defer { contents.places.merge(places) { $1 } }
            return places.keys.flatMap { contents.places[$0]?.further ?? [] }
        }
        try remove(unused, whileWaiting: whileWaiting)
    }

    /// Removes keys that exist, and the further pieces of their values.
    private func remove(_ keys: some Sequence<String>, whileWaiting: () -> Void = {}) throws {
        let all = keys.flatMap { key in [key] + (contents.withLock { $0.places[key]?.further } ?? []) }
        let present = all.filter { revision(of: $0) > 0 }
        guard !present.isEmpty else { return }
        let fields = ReplicatedState.fields(origin, pieces: 1, turn: 0)
        // Written empty first, which fails where another has written; the purge reaches no further than that.
        try carryOut(present.map { .init(key: $0, fields: fields, value: [], over: revision(of: $0)) }, whileWaiting)
        for key in present {
            try bucket.remove(key, upTo: revision(of: key))
            contents.withLock { ($0.revisions[key], $0.places[key]) = (nil, nil) }
        }
    }

    @discardableResult
    private func take(_ key: String, _ value: [UInt8]) throws -> UInt64 {
        let fields = ReplicatedState.fields(origin, pieces: 1, turn: 0)
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
                    write.revision = try revisionToOverwrite(write.key)
                    again.append(write)
                }
            }
            left = again
        }
        guard left.isEmpty else { throw GatewayError("keyValue: \(left[0].key) is written by another at the same time") }
    }

    private func revisionToOverwrite(_ key: String) throws -> UInt64 {
        guard let entry = try bucket.entry(key) else { return 0 }
        guard ReplicatedState.epoch(of: entry) > origin.epoch else { return entry.revision }
        if let owner = try owner() { ownership.lose(to: owner) }
        throw GatewayError("keyValue: \(key) was written by a gateway of a higher epoch")
    }
}

/// The copy of one lane's states.
struct LaneReplica: Sendable {
    let replica: StateReplica
    let plan: LanePlan

    /// Writes every state that differs, see `StateReplica.synchronize`.
    func synchronize(with store: CheckpointStore) throws {
        try replica.synchronize(plan.name, streams: plan.share.streams, with: store)
    }

    /// Writes what `store` now holds of the devices of `changes`.
    func write(_ changes: [StateChange], in store: CheckpointStore, whileWaiting: () -> Void) throws {
        guard !changes.isEmpty else { return }
        try replica.write(Set(changes.map(\.device)), of: plan.name, in: store, whileWaiting: whileWaiting)
    }
}
