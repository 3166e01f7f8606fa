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
            sql: "CREATE TABLE journal (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL)")
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
        try database.read { try Row.fetchOne($0, sql: "SELECT number FROM clock")?.number("number") ?? 0 }
    }

    /// Processes the messages of the journal again, and writes the states that they lead to in place of them, with what has to be published
    /// of that: `debts` has it until it is settled. A row that cannot be read is set aside. Throws when the file cannot be read or written,
    /// or `process` throws.
    func replayJournal(
        by makeReplay: @autoclosure () -> JournalReplay,
        process: (InboundMessage, () -> [OutboundMessage]) throws -> [OutboundMessage] = { $1() }
    ) throws {
        let rows = try database.read { try Self.journal(in: $0) }
        guard !rows.isEmpty else { return }
        var replay = makeReplay()
        var messages: [OwedMessage] = []
        var changes: [StateChange] = []
        var dropped: [DroppedPart] = []
        for (device, entries) in Self.entries(of: rows, &dropped).sorted(by: { $0.key < $1.key }) {
            guard let stored = try database.read({ try Self.stored($0, of: device).first }) else { continue }
            let before = dropped.count
            var restored = RestoredState(stored) { dropped.append($0) }
            let later = entries.filter { $0.row > restored.number }.map(\.entry)
            guard !later.isEmpty || dropped.count > before else { continue }
            let outcome = try replay.advance(&restored.state, of: device, by: later, process: process)
            messages += outcome.messages
            var change = try restored.wholeChange()
            change.events = outcome.events
            changes.append(change)
        }
        report(
            try database.write { [messages, changes, dropped] database in
                for change in changes {
                    try Self.write(change, to: database)
                    try Self.insert(change.events, of: change.device, into: database)
                }
                try Self.owe(messages, in: database)
                try database.execute(sql: "DELETE FROM journal")
                return try Self.setAside(dropped.map(UnreadableRow.init), in: database)
            })
        FaultPoint.replayed.reach()
    }

    /// Throws when what is on disk does not lead to `states`. Of a state that is as at the beginning nothing is stored. Of the longer
    /// journals of devices one in eight is replayed.
    func verify(_ states: [DeviceID: DeviceState?], _ makeReplay: () -> JournalReplay) throws {
        let rows = try database.read { try Self.journal(in: $0) }
        var dropped: [DroppedPart] = []
        let entries = Self.entries(of: rows, &dropped)
        var replay: JournalReplay?
        for (device, state) in states {
            let restored = try database.read { try Self.stored($0, of: device).first }.map { RestoredState($0) { _ in } }
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
            JournalRow(number: UInt64(bitPattern: try row.stored("number") as Int64), bytes: row.remains("bytes"))
        }
    }

    /// The entries of each device, with their rows, in their order. Rows that cannot be read are appended to `dropped`.
    private static func entries(
        of rows: [JournalRow], _ dropped: inout [DroppedPart]
    ) -> [DeviceID: [(row: UInt64, entry: JournalEntry)]] {
        var entries: [DeviceID: [(row: UInt64, entry: JournalEntry)]] = [:]
        for row in rows {
            do {
                guard row.number < UInt64(Row.mostRows) else { throw OtherType(column: "number") }
                for entry in try row.entries() { entries[entry.device, default: []].append((row.number, entry)) }
            } catch {
                dropped.append(
                    DroppedPart(device: nil, part: "journal/\(row.number)", reason: "\(error)", bytes: row.bytes))
            }
        }
        return entries
    }
}
