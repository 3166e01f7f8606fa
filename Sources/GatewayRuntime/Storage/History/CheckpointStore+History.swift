import Foundation
import GRDB
import GatewayPipeline
import TelemetryModel

/// Histories in the file of the lane that carries the stream: a row for each minute of a device, and the messages for the query `events`.
extension CheckpointStore {
    /// How many rows of a history are read at once: a lane's thread reads as many more than it uses before it does something else.
    private static let minutesAtOnce = 8

    private static let insertion = """
        INSERT OR REPLACE INTO history (device, day, minute, count, first, last, bytes, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """

    static func createHistory(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE history (device TEXT NOT NULL, day INTEGER NOT NULL, minute INTEGER NOT NULL, count INTEGER NOT NULL,
                    first DOUBLE NOT NULL, last DOUBLE NOT NULL, bytes INTEGER NOT NULL, data BLOB NOT NULL,
                    PRIMARY KEY (device, minute));
                CREATE INDEX historyDay ON history (day, bytes);
                CREATE TABLE removed (device TEXT NOT NULL PRIMARY KEY, at DOUBLE NOT NULL) WITHOUT ROWID;
                CREATE TABLE events (device TEXT NOT NULL, at DOUBLE NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL,
                    payload BLOB NOT NULL, PRIMARY KEY (device, at, id)) WITHOUT ROWID;
                CREATE INDEX eventsAt ON events (at);
                """)
    }

    /// Writes what a checkpoint changes of a device's history, in the checkpoint's transaction; returns whether it erased
    /// something. `removedAt` is the running time of `StoredClock`.
    static func writeHistory(_ change: StateChange, removedAt: Double, to database: Database) throws -> Bool {
        let device = change.device.rawValue
        var isErased = try change.erasesHistory && eraseHistory(of: device, in: database)
        if try erase(change.erasedKinds, of: device, in: database) { isErased = true }
        if !change.history.isEmpty {
            let insert = try database.cachedStatement(sql: insertion)
            for row in change.history {
                try insert.execute(arguments: [
                    device, row.day, row.minute, row.count, row.first.seconds, row.last.seconds, row.data.count, Data(row.data),
                ])
            }
        }
        try insert(change.events, of: change.device, into: database)
        if change.isRemoved, !change.erasesHistory, try hasHistory(of: device, in: database) {
            try database.cachedStatement(sql: "INSERT OR IGNORE INTO removed (device, at) VALUES (?, ?)")
                .execute(arguments: [device, removedAt])
        }
        return isErased
    }

    /// Erases what is kept of kinds of a device's messages; returns whether there were any for the query `events`.
    @discardableResult
    static func erase(_ kinds: [String], of device: String, in database: Database) throws -> Bool {
        guard !kinds.isEmpty else { return false }
        var isErased = false
        for kind in kinds {
            try database.cachedStatement(sql: "DELETE FROM events WHERE device = ? AND kind = ?")
                .execute(arguments: [device, kind])
            isErased = isErased || database.changesCount > 0
        }
        try eraseDamaged(of: device, kinds: kinds, in: database)
        return isErased
    }

    /// Adds messages for the query `events`.
    static func insert(_ events: [StoredEvent], of device: DeviceID, into database: Database) throws {
        guard !events.isEmpty else { return }
        let insert = try database.cachedStatement(
            sql: "INSERT OR REPLACE INTO events (device, at, id, kind, payload) VALUES (?, ?, ?, ?, ?)")
        for event in events {
            try insert.execute(arguments: [device.rawValue, event.at.seconds, event.id, event.kind, Data(event.payload)])
        }
    }

    private static func hasHistory(of device: String, in database: Database) throws -> Bool {
        try Bool.fetchOne(
            database,
            sql: """
                SELECT EXISTS (SELECT 1 FROM history WHERE device = ?) OR EXISTS (SELECT 1 FROM events WHERE device = ?)
                OR EXISTS (SELECT 1 FROM damaged WHERE device = ?)
                """, arguments: [device, device, device]) ?? false
    }

    /// Erases what is kept of a device beside its state; returns whether there were samples.
    static func eraseHistory(of device: String, in database: Database) throws -> Bool {
        try database.cachedStatement(sql: "DELETE FROM history WHERE device = ?").execute(arguments: [device])
        let hadSamples = database.changesCount > 0
        for table in ["events", "removed"] {
            try database.cachedStatement(sql: "DELETE FROM \(table) WHERE device = ?").execute(arguments: [device])
        }
        try eraseDamaged(of: device, in: database)
        return hadSamples
    }
}

extension CheckpointStore {
    /// Reads rows in batches, so that no more than a few are in memory, by a connection to the file that may be read-only. Those that
    /// cannot be read are set aside.
    func readHistory(
        of device: DeviceID, in minutes: Range<Int>, from connection: DatabaseQueue, _ body: (HistoryMinute) throws -> Void
    ) throws {
        var next = minutes.lowerBound
        while next < minutes.upperBound {
            let rows = try connection.read {
                try HistoryRow.read(of: device, in: next..<minutes.upperBound, most: Self.minutesAtOnce, $0)
            }
            for row in rows {
                if let minute = try? row.samples() {
                    try body(minute)
                } else {
                    try setAside(StoredDamage(device: device, minutes: [row.minute]))
                }
            }
            guard rows.count == Self.minutesAtOnce, let last = rows.last else { return }
            next = last.minute + 1
        }
    }
}

extension HistoryRow {
    /// The first rows of `device` in `minutes`.
    static func read(of device: DeviceID, in minutes: Range<Int>, most: Int, _ database: Database) throws -> [HistoryRow] {
        try Row.fetchAll(
            database,
            sql: """
                SELECT minute, count, first, last, data FROM history WHERE device = ? AND minute >= ? AND minute < ?
                ORDER BY minute LIMIT ?
                """,
            arguments: [device.rawValue, minutes.lowerBound, minutes.upperBound, most]
        ).map { row in
            if let read = try? HistoryRow(row) { return read }
            // Without samples it is set aside as damaged. A text or a blob is in no range of minutes.
            let minute = Int.fromDatabaseValue(row["minute"]) ?? minutes.lowerBound
            let first = Double(minute) * 60
            return HistoryRow(minute: minute, count: 1, first: UnixTime(first), last: UnixTime(first + 60), data: [])
        }
    }

    /// Throws where a value has another type.
    init(_ row: Row) throws {
        self.init(
            minute: try row.stored("minute"), count: try row.stored("count"), first: UnixTime(try row.seconds("first")),
            last: UnixTime(try row.seconds("last")), data: try row.bytes("data"))
    }
}
