import Foundation
import GRDB
import GatewayPipeline
import TelemetryModel

/// The messages that are stored in place of states: those of a checkpoint in one row.
///
/// The row of a device's state has the number of the last checkpoint that it includes; the messages of the device in later rows lead to its
/// present state.
extension CheckpointStore {
    static func createJournal(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE journal (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
                ALTER TABLE clock ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
                """)
    }

    /// Adds `rows`, and deletes those before `firstRow`.
    static func write(_ rows: [JournalRow], from firstRow: UInt64, to database: Database) throws {
        for row in rows {
            try database.cachedStatement(sql: "INSERT INTO journal (number, bytes) VALUES (?, ?)")
                .execute(arguments: [Int64(bitPattern: row.number), Data(row.bytes)])
        }
        try database.cachedStatement(sql: "DELETE FROM journal WHERE number < ?").execute(arguments: [Int64(bitPattern: firstRow)]
        )
    }

    static func hasJournal(_ database: Database) throws -> Bool {
        try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT * FROM journal)") ?? false
    }

    /// The number of the last checkpoint.
    func lastCheckpoint() throws -> UInt64 {
        try database.read { UInt64(bitPattern: try Int64.fetchOne($0, sql: "SELECT number FROM clock") ?? 0) }
    }

    /// Processes the messages of the journal again, and writes the states that they lead to in place of them; returns what has to be
    /// published of that. A row that cannot be read is reported and left out. Throws when the file cannot be read or written, or `process`
    /// throws.
    func replayJournal(
        by makeReplay: @autoclosure () -> JournalReplay,
        process: (InboundMessage, () -> [OutboundMessage]) throws -> [OutboundMessage] = { $1() }
    ) throws -> [OutboundMessage] {
        let rows = try database.read { try Self.journal(in: $0) }
        guard !rows.isEmpty else { return [] }
        var replay = makeReplay()
        var messages: [OutboundMessage] = []
        var changes: [StateChange] = []
        for (device, entries) in entries(of: rows).sorted(by: { $0.key < $1.key }) {
            guard var restored = try restored(device) else { continue }
            let later = entries.filter { $0.row > restored.number }.map(\.entry)
            guard !later.isEmpty else { continue }
            messages += try replay.advance(&restored.state, of: device, by: later, process: process)
            changes.append(try restored.wholeChange())
        }
        try database.write { database in
            for change in changes { try Self.write(change, to: database) }
            try database.execute(sql: "DELETE FROM journal")
        }
        return messages
    }

    /// Throws when what is on disk does not lead to `states`. Of a state that is as at the beginning nothing is stored. Of the longer
    /// journals of devices one in eight is replayed.
    func verify(_ states: [DeviceID: DeviceState?], _ makeReplay: () -> JournalReplay) throws {
        let rows = try database.read { try Self.journal(in: $0) }
        let entries = entries(of: rows)
        var replay: JournalReplay?
        for (device, state) in states {
            let restored = try restored(device)
            var stored = restored?.state ?? DeviceState()
            let later = restored.map { restored in entries[device, default: []].filter { $0.row > restored.number } } ?? []
            if !later.isEmpty {
                guard later.count < 3 || later.count % 8 == 0 else { continue }
                var replayer = replay ?? makeReplay()
                _ = try replayer.advance(&stored, of: device, by: later.map(\.entry))
                replay = replayer
            }
            let expected = state ?? DeviceState()
            guard stored != expected else { continue }
            let parts = expected.differences(from: stored).joined(separator: ", ")
            throw GatewayError("\(path): the state of \(device) on disk is not the one that was committed: \(parts)")
        }
    }

    /// Moves every instant of the gateway's monotonic clock in the journal by `seconds`.
    static func shiftJournal(in database: Database, by seconds: Double) throws {
        for row in try journal(in: database) {
            // One that is damaged is reported when it is replayed.
            guard let shifted = try? row.shifted(by: seconds) else { continue }
            try database.execute(
                sql: "UPDATE journal SET bytes = ? WHERE number = ?",
                arguments: [Data(shifted.bytes), Int64(bitPattern: row.number)])
        }
    }

    private static func journal(in database: Database) throws -> [JournalRow] {
        try Row.fetchAll(database, sql: "SELECT number, bytes FROM journal ORDER BY number").map { row in
            JournalRow(number: UInt64(bitPattern: row["number"]), bytes: Array(row["bytes"] as Data))
        }
    }

    /// The entries of each device, with their rows, in their order.
    private func entries(of rows: [JournalRow]) -> [DeviceID: [(row: UInt64, entry: JournalEntry)]] {
        var entries: [DeviceID: [(row: UInt64, entry: JournalEntry)]] = [:]
        for row in rows {
            do {
                for entry in try row.entries() { entries[entry.device, default: []].append((row.number, entry)) }
            } catch {
                report(DroppedPart(device: nil, part: "journal/\(row.number)", reason: "\(error)"))
            }
        }
        return entries
    }
}
