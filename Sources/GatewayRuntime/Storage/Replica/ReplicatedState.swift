import GatewayConfiguration
import GatewayPipeline
import NatsKeyValue
import TelemetryModel

/// What one lane has stored of a device, as it stands in the key-value store: in a value under `lane.device`, or where that would be too large
/// in several, of which the one under that key is written last.
enum ReplicatedState {
    /// What the header fields of a value say of it.
    struct Origin: Sendable, Equatable {
        /// The epoch of the gateway that wrote it.
        var epoch: Int
        /// The run of the operating system that the monotonic clock in it belongs to.
        var machine: String
        /// When it was written.
        var saved: GatewayTime
    }

    /// The layout that this build writes and reads.
    private static let format = "1"
    /// The most bytes of one value; servers take 1 MiB in one message unless they are set to less.
    private static let pieceBytes = 512 * 1_024
    private static let waitingPrefix = "waiting/"
    private static let owedPrefix = "debt/"

    private enum Field {
        static let format = "Fathom-Format"
        static let epoch = "Fathom-Epoch"
        static let machine = "Fathom-Machine"
        static let saved = "Fathom-Saved"
        static let checkpoint = "Fathom-Checkpoint"
        static let pieces = "Fathom-Pieces"
        static let tag = "Fathom-Tag"
    }

    /// The state as one sequence of bytes: its parts, and a part for each message that waits or is owed.
    static func bytes(of stored: StoredState) -> [UInt8] {
        var row = StateRow()
        for part in stored.parts.values.sorted(by: { $0.name < $1.name }) { row.append(part) }
        for waiting in stored.waiting {
            row.append(StatePart(name: "\(waitingPrefix)\(waiting.number)", version: 1, bytes: waiting.bytes))
        }
        for (number, message) in stored.owed.enumerated() {
            row.append(StatePart(name: "\(owedPrefix)\(number)", version: 1, bytes: message))
        }
        return row.bytes
    }

    /// The state that `bytes` hold.
    static func stored(_ bytes: [UInt8], of device: DeviceID) -> StoredState {
        let (parts, damage) = StateRow.parts(of: bytes)
        var stored = StoredState(device: device, damage: damage)
        for part in parts {
            if let number = part.name.hasPrefix(waitingPrefix) ? UInt64(part.name.dropFirst(waitingPrefix.count)) : nil {
                stored.waiting.append(.init(number: number, bytes: part.bytes))
            } else if part.name.hasPrefix(owedPrefix) {
                stored.owed.append(part.bytes)
            } else {
                stored.parts[part.name] = part
            }
        }
        return stored
    }

    // MARK: Keys and values

    /// The key of the first piece.
    static func key(of device: DeviceID, in lane: GatewayConfiguration.Lanes.Name) -> String {
        "\(lane.rawValue).\(device.rawValue)"
    }

    /// The lane and the device of the key of a first piece; nil where `key` is none.
    static func place(of key: String) -> (lane: GatewayConfiguration.Lanes.Name, device: DeviceID)? {
        let levels = key.split(separator: ".")
        guard levels.count == 2, let lane = GatewayConfiguration.Lanes.Name(rawValue: String(levels[0])),
            let device = DeviceID(String(levels[1]))
        else { return nil }
        return (lane, device)
    }

    /// The entries with the first pieces of states, in the order of their keys, and whose these are.
    static func states(
        in entries: [String: KeyValueBucket.Entry]
    ) -> [(lane: GatewayConfiguration.Lanes.Name, device: DeviceID, entry: KeyValueBucket.Entry)] {
        entries.values.sorted { $0.key < $1.key }.compactMap { entry in
            guard !entry.value.isEmpty, let (lane, device) = place(of: entry.key) else { return nil }
            return (lane, device, entry)
        }
    }

    /// The key of a further piece. Each write has a tag of its own, so that the pieces of the value in force stay as they are.
    static func key(ofPiece number: Int, tag: String, after first: String) -> String { "\(first).\(tag).\(number)" }

    /// The key of the first piece that a further one belongs to; nil where `key` is none of a further piece.
    static func firstKey(ofPiece key: String) -> String? {
        let levels = key.split(separator: ".")
        return levels.count == 4 ? levels[..<2].joined(separator: ".") : nil
    }

    /// A tag for a write.
    static var newTag: String { String(UInt32.random(in: .min ... .max), radix: 36) }

    /// The keys of the further pieces of the value in force.
    private static func furtherKeys(of entry: KeyValueBucket.Entry) -> [String] {
        let tag = entry.fields[Field.tag] ?? ""
        return (1..<max(1, pieces(of: entry))).map { key(ofPiece: $0, tag: tag, after: entry.key) }
    }

    /// `bytes` in pieces; at least one.
    static func pieces(of bytes: [UInt8]) -> [[UInt8]] {
        let starts = stride(from: 0, to: max(1, bytes.count), by: pieceBytes)
        return starts.map { Array(bytes[$0..<min($0 + pieceBytes, bytes.count)]) }
    }

    /// The header fields of the first of so many pieces, of what the lane's file holds since its checkpoint of this
    /// number.
    static func fields(
        _ origin: Origin, checkpoint: UInt64 = 0, pieces: Int = 1, tag: String = ""
    ) -> [(name: String, value: String)] {
        [
            (Field.format, format), (Field.epoch, "\(origin.epoch)"), (Field.machine, origin.machine),
            (Field.saved, "\(origin.saved.unix.seconds) \(origin.saved.monotonic)"), (Field.checkpoint, "\(checkpoint)"),
            (Field.pieces, "\(pieces)"), (Field.tag, tag),
        ]
    }

    /// The number of the checkpoint since which the writer's file holds an entry; 0 where it says none.
    static func checkpoint(of entry: KeyValueBucket.Entry) -> UInt64 {
        entry.fields[Field.checkpoint].flatMap { UInt64($0) } ?? 0
    }

    /// The epoch of the gateway that wrote an entry; 0 where none did.
    static func epoch(of entry: KeyValueBucket.Entry) -> Int { entry.fields[Field.epoch].flatMap { Int($0) } ?? 0 }

    private static func pieces(of entry: KeyValueBucket.Entry) -> Int {
        entry.fields[Field.pieces].flatMap { Int($0) }.map { min(max($0, 1), 1_000) } ?? 1
    }

    /// Who wrote an entry, and when. Throws where another layout was written.
    static func origin(of entry: KeyValueBucket.Entry) throws(GatewayError) -> Origin {
        let saved = (entry.fields[Field.saved] ?? "").split(separator: " ").compactMap { Double($0) }
        guard entry.fields[Field.format] == format, saved.count == 2 else {
            throw GatewayError("keyValue: \(entry.key) was written by another version, which this build does not read")
        }
        let time = GatewayTime(unix: UnixTime(saved[0]), monotonic: saved[1])
        guard time.isPossible else { throw GatewayError("keyValue: the time at which \(entry.key) was written is impossible") }
        return Origin(epoch: epoch(of: entry), machine: entry.fields[Field.machine] ?? "", saved: time)
    }

    /// All bytes of the value whose first piece is `entry`. Throws where a further piece is missing.
    static func bytes(
        of entry: KeyValueBucket.Entry, in entries: [String: KeyValueBucket.Entry]
    ) throws(GatewayError) -> [UInt8] {
        var bytes = entry.value
        for key in furtherKeys(of: entry) {
            guard let piece = entries[key], !piece.value.isEmpty else { throw GatewayError("keyValue: \(key) is missing") }
            bytes += piece.value
        }
        return bytes
    }
}
