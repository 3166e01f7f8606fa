import GatewayPipeline
import Mosquitto
import NatsKeyValue
import Synchronization

/// A bucket that one gateway of a name writes at a time: the one with the highest epoch.
///
/// Each write is conditional on the revision of its key. A gateway that finds a higher epoch has lost its name. Calls block.
final class FencedBucket: Sendable {
    /// The key of the gateway that owns the bucket; its value is that gateway's claim.
    static let ownerKey = "owner"
    /// The key that is written before everything is read: what is read then includes it, and so all that was written before.
    private static let fenceKey = "fence"
    /// How often a write is tried that others' writes prevent, and a read that lags behind.
    private static let attempts = 4

    private let bucket: KeyValueBucket
    private let ownership: Ownership
    private let machine: String
    private let clock: any GatewayClock
    private let contents = Mutex(Contents())

    private struct Contents {
        /// The number of the last write of each key.
        var revisions: [String: UInt64] = [:]
        /// The keys of further pieces, in force or left behind, by the key of the first.
        var further: [String: Set<String>] = [:]
    }

    /// A bucket for the gateway of `ownership`, whose states have the monotonic clock of `machine`.
    init(_ bucket: KeyValueBucket, ownership: Ownership, machine: String, clock: any GatewayClock) {
        self.bucket = bucket
        self.ownership = ownership
        self.machine = machine
        self.clock = clock
    }

    /// The name.
    var name: String { bucket.name }

    /// What is written now is marked with this.
    var origin: ReplicatedState.Origin { .init(epoch: ownership.permit.epoch ?? 0, machine: machine, saved: clock.now) }

    /// Has calls that wait for a server end with an error, and those that are made later.
    func interrupt() { bucket.interrupt() }

    /// Whether this gateway has lost its name.
    var isLost: Bool { ownership.permit.passage == .lost }

    /// Makes the bucket where there is none.
    func make() throws { try bucket.make() }

    // MARK: Owner

    /// The claim of the gateway that owns the bucket; nil for none.
    func owner() throws -> Claim? { try bucket.entry(Self.ownerKey).flatMap { Claim($0.value) } }

    /// The claim of the owner in entries that were read; nil for none.
    static func owner(in entries: [String: KeyValueBucket.Entry]) -> Claim? { entries[ownerKey].flatMap { Claim($0.value) } }

    /// Makes this gateway the owner, or with `released` one that has handed its devices over.
    func noteOwner(as state: Claim.State? = nil) throws {
        var claim = ownership.claim
        claim.state = state ?? claim.state
        try put(Self.ownerKey, claim.payload)
    }

    // MARK: Reading

    /// Everything in the bucket, with whatever was written before this call.
    func entries() throws -> [String: KeyValueBucket.Entry] {
        let revision = try put(Self.fenceKey, Array("\(origin.epoch)".utf8))
        for _ in 0..<Self.attempts {
            let entries = try bucket.entries()
            guard let fence = entries[Self.fenceKey], fence.revision >= revision else { continue }
            note(entries)
            return entries
        }
        throw NatsError("the bucket \(bucket.name) is read from a server that does not have what was written last")
    }

    private func note(_ entries: [String: KeyValueBucket.Entry]) {
        contents.withLock { contents in
            contents.revisions = entries.mapValues(\.revision)
            contents.further = [:]
            for key in entries.keys {
                if let first = ReplicatedState.firstKey(ofPiece: key) { contents.further[first, default: []].insert(key) }
            }
        }
    }

    // MARK: Writing

    /// Writes values under the keys of first pieces, those that are too large for a message in pieces; the lane's file holds them since
    /// its checkpoint of this number.
    func write(_ values: [String: [UInt8]], checkpoint: UInt64, whileWaiting: () -> Void = {}) throws {
        var (further, first): ([KeyValueBucket.Write], [KeyValueBucket.Write]) = ([], [])
        var names: [String: Set<String>] = [:]
        let origin = origin
        for (key, bytes) in values.sorted(by: { $0.key < $1.key }) {
            // The first piece names the tag of the others and is written last: until then the value before is in force.
            let pieces = ReplicatedState.pieces(of: bytes)
            let tag = pieces.count > 1 ? ReplicatedState.newTag : ""
            for (number, piece) in pieces.enumerated().dropFirst() {
                let name = ReplicatedState.key(ofPiece: number, tag: tag, after: key)
                further.append(.init(key: name, fields: ReplicatedState.fields(origin), value: piece, over: revision(of: name)))
                names[key, default: []].insert(name)
            }
            let fields = ReplicatedState.fields(origin, checkpoint: checkpoint, pieces: pieces.count, tag: tag)
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
    func remove(_ keys: some Sequence<String>, whileWaiting: () -> Void = {}) throws {
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

    /// Writes a value that fits into a message; returns its revision.
    @discardableResult
    func put(_ key: String, _ value: [UInt8]) throws -> UInt64 {
        let fields = ReplicatedState.fields(origin)
        try carryOut([.init(key: key, fields: fields, value: value, over: revision(of: key))]) {}
        return revision(of: key)
    }

    /// Writes the marks of erasures with a lane's checkpoint of this number.
    func mark(_ keys: some Sequence<String>, checkpoint: UInt64, whileWaiting: () -> Void = {}) throws {
        let fields = ReplicatedState.fields(origin, checkpoint: checkpoint)
        let writes = keys.sorted().map { key in
            KeyValueBucket.Write(key: key, fields: fields, value: ErasureMarks.value, over: revision(of: key))
        }
        try carryOut(writes, whileWaiting)
    }

    private func revision(of key: String) -> UInt64 { contents.withLock { $0.revisions[key] ?? 0 } }

    /// Carries out writes. A key that another has written meanwhile is overwritten if its writer's epoch is not higher: that was this gateway, or
    /// one that has lost the name since. Otherwise this gateway has lost it.
    private func carryOut(_ writes: [KeyValueBucket.Write], _ whileWaiting: () -> Void) throws {
        var left = writes
        for _ in 0..<Self.attempts where !left.isEmpty {
            guard !isLost else { throw GatewayError("another gateway has taken over") }
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
