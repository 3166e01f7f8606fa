import Foundation
import GRDB
import GatewayPipeline
import Logging
import Synchronization
import TelemetryModel

/// A row that cannot be read, before it is set aside.
struct UnreadableRow {
    var source: DamagedRow.Source
    /// Whose it is; nil where that is not known.
    var device: String?
    var name: String
    var reason: String
    var bytes: [UInt8]
    /// The first instant of what it holds; nil where that is not known.
    var from: Double?
    var to: Double?
    /// How many samples it holds; 0 where that is not known.
    var count = 0
    /// Whether a gap is published of it.
    var needsGap = true
    /// Its key in its table, where it has a table of its own.
    var key: [any DatabaseValueConvertible] = []

    /// What is reported of it.
    var part: DroppedPart {
        let instants = from.map { "\($0)" + (to == from ? "" : " to \(to ?? $0)") }
        let place = instants.map { " (\(count > 0 ? "\(count) samples, " : "")unix s \($0))" } ?? ""
        let table = source == .state || source == .journal ? "" : "\(source.rawValue)/"
        return DroppedPart(device: device.flatMap { DeviceID($0) }, part: table + name, reason: reason + place)
    }
}

extension UnreadableRow {
    /// The row of a part of a state. What another version wrote is no damage, and no gap.
    init(_ part: DroppedPart) {
        self.init(
            source: part.part.hasPrefix("journal/") ? .journal : .state, device: part.device?.rawValue, name: part.part,
            reason: part.reason, bytes: part.bytes)
        needsGap = !part.isOfOtherVersion
    }
}

/// Rows that cannot be read: they are moved to the table `damaged`, and a gap is published of each.
///
/// A row says until its gap was accepted that it is not reported, so that a kill loses no report.
extension CheckpointStore {
    /// The most bytes that are set aside in a file; the oldest rows are deleted beyond that.
    static let mostDamagedBytes = 16_000_000

    static let damagedColumns = ["source", "device", "name", "reason", "first", "last", "count", "bytes", "isReported"]

    static func createDamaged(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE damaged (number INTEGER PRIMARY KEY AUTOINCREMENT, source TEXT NOT NULL, device TEXT,
                    name TEXT NOT NULL, reason TEXT NOT NULL, first DOUBLE NOT NULL, last DOUBLE NOT NULL, count INTEGER NOT NULL,
                    bytes BLOB NOT NULL, isReported BOOLEAN NOT NULL);
                CREATE INDEX damagedDevice ON damaged (device);
                """)
    }

    /// Moves rows to the table, in one transaction, and reports them.
    func setAside(_ rows: [UnreadableRow]) throws { report(try database.write { try Self.setAside(rows, in: $0) }) }

    /// Reports what was set aside, once that is written.
    func report(_ parts: [DroppedPart]) {
        guard !parts.isEmpty else { return }
        hasUnreported.store(true, ordering: .relaxed)
        parts.forEach(report)
    }

    /// Moves rows to the table; returns what is to be reported of that once the transaction is written.
    static func setAside(_ rows: [UnreadableRow], in database: Database) throws -> [DroppedPart] {
        guard !rows.isEmpty else { return [] }
        let written = try Row.fetchOne(database, sql: "SELECT unix FROM clock").flatMap { try? $0.seconds("unix") } ?? 0
        for row in rows {
            let from = row.from ?? written
            let isReported = !row.needsGap || row.device.flatMap { DeviceID($0) } == nil
            try database.cachedStatement(
                sql: "INSERT INTO damaged (\(damagedColumns.joined(separator: ", "))) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
            ).execute(arguments: [
                row.source.rawValue, row.device, row.name, row.reason, from, row.to ?? from, row.count, Data(row.bytes),
                isReported,
            ])
            switch row.source {
            // States and journals are written anew by who reads them.
            case .state, .journal: break
            case .history:
                try database.execute(
                    sql: "DELETE FROM history WHERE device = ? AND minute = ?", arguments: StatementArguments(row.key))
            case .events:
                try database.execute(
                    sql: "DELETE FROM events WHERE device = ? AND at = ? AND CAST(id AS BLOB) = ?",
                    arguments: StatementArguments(row.key))
            case .debt:
                try database.execute(sql: "DELETE FROM debt WHERE number = ?", arguments: StatementArguments(row.key))
            }
        }
        let deleted = try makeRoomForDamaged(in: database)
        let full = DroppedPart(
            device: nil, part: "damaged",
            reason:
                "the oldest \(deleted) of the rows that were set aside are deleted: at most \(mostDamagedBytes) bytes are kept")
        return rows.map(\.part) + (deleted > 0 ? [full] : [])
    }

    /// Deletes the oldest rows while there are too many bytes of them; returns how many.
    private static func makeRoomForDamaged(in database: Database) throws -> Int {
        var bytes = try Int.fetchOne(database, sql: "SELECT sum(length(bytes)) FROM damaged") ?? 0
        var deleted = 0
        while bytes > mostDamagedBytes,
            let oldest = try Row.fetchOne(
                database, sql: "SELECT number, length(bytes) AS size FROM damaged ORDER BY number LIMIT 1")
        {
            try database.execute(sql: "DELETE FROM damaged WHERE number = ?", arguments: [oldest["number"] as DatabaseValue])
            bytes -= Int.fromDatabaseValue(oldest["size"]) ?? 0
            deleted += 1
        }
        return deleted
    }

    /// Deletes what was set aside of a device. Where kinds are given: messages of these, and states of derivations, which may have led to
    /// them. Rows of which it is not known whose or of which kind they are may be among them.
    static func eraseDamaged(of device: String, kinds: [String]? = nil, in database: Database) throws {
        guard let kinds else {
            try database.cachedStatement(sql: "DELETE FROM damaged WHERE device = ? OR device IS NULL").execute(arguments: [
                device
            ])
            try database.cachedStatement(sql: "DELETE FROM debt WHERE device = ?").execute(arguments: [device])
            return
        }
        for kind in kinds {
            try database.cachedStatement(
                sql: """
                    DELETE FROM damaged WHERE device IS NULL OR (device = ? AND (
                        name IN (?, 'retained/' || ?, 'latest/' || ?, '', 'state')
                        OR name LIKE 'derive/%' OR name LIKE 'displaced%'))
                    """
            ).execute(arguments: [device, kind, kind, kind])
            try database.cachedStatement(sql: "DELETE FROM debt WHERE device = ? AND kind = ?").execute(arguments: [device, kind])
        }
    }

    /// The rows of devices whose gaps are not accepted yet, in order.
    func unreportedRows() throws -> [DamagedRow] {
        let rows = try database.read { database in
            try Row.fetchAll(
                database,
                sql: "SELECT number, source, device, name, first, last, count FROM damaged WHERE NOT isReported ORDER BY number"
            )
        }
        let readable = rows.compactMap(DamagedRow.init)
        if readable.count < rows.count {
            logger?.error(
                "rows that were set aside cannot be read, and are not published as gaps",
                metadata: ["count": "\(rows.count - readable.count)"])
        }
        return readable
    }

    /// Sets aside those of the rows of `damage` that cannot be read.
    func setAside(_ damage: StoredDamage) throws {
        let rows = try database.read { database in
            let instants = Set(damage.events.map(\.at.seconds)).sorted()
            return try damage.minutes.flatMap { try UnreadableRow.rows(ofMinute: $0, of: damage.device, database) }
                + instants.flatMap { try UnreadableRow.events(at: UnixTime($0), of: damage.device, database) }
        }
        if !rows.isEmpty { try setAside(rows) }
    }
}

/// Rows of a device that a query could not read.
package struct StoredDamage: Sendable, Equatable {
    /// Whose they are.
    let device: DeviceID
    /// The minutes of its history.
    var minutes: [Int] = []
    /// The messages for the query `events`.
    var events: [EventsQuery.Place] = []

    /// Whether there are none.
    var isEmpty: Bool { minutes.isEmpty && events.isEmpty }
}

extension UnreadableRow {
    /// The rows of a stored minute that cannot be read.
    fileprivate static func rows(ofMinute minute: Int, of device: DeviceID, _ database: Database) throws -> [UnreadableRow] {
        try Row.fetchAll(
            database,
            sql: "SELECT minute, count, first, last, data FROM history WHERE device = ? AND minute >= ? AND minute < ?",
            arguments: [device.rawValue, minute, minute + 1]
        ).compactMap { row -> UnreadableRow? in
            do { _ = try HistoryRow(row).samples() } catch {
                let from = (try? row.seconds("first")) ?? Double(minute) * 60
                return UnreadableRow(
                    source: .history, device: device.rawValue, name: "\(minute)", reason: "\(error)", bytes: row.remains("data"),
                    from: from, to: (try? row.seconds("last")) ?? from, count: max(0, Int.fromDatabaseValue(row["count"]) ?? 0),
                    key: [device.rawValue, row["minute"] as DatabaseValue])
            }
            return nil
        }
    }

    /// The stored messages of an instant that cannot be read. The bytes of an id find its row, whatever they are.
    fileprivate static func events(at instant: UnixTime, of device: DeviceID, _ database: Database) throws -> [UnreadableRow] {
        let reader = StoredEventReader()
        return try Row.fetchAll(
            database, sql: "SELECT CAST(id AS BLOB) AS id, kind, payload FROM events WHERE device = ? AND at = ?",
            arguments: [device.rawValue, instant.seconds]
        ).compactMap { row -> UnreadableRow? in
            let event = StoredEvent(
                kind: String.fromDatabaseValue(row["kind"]) ?? "", at: instant, id: String.fromDatabaseValue(row["id"]) ?? "",
                payload: row.remains("payload"))
            guard !reader.canRead(event) else { return nil }
            return UnreadableRow(
                source: .events, device: device.rawValue, name: event.kind, reason: "the message \(event.id) is damaged",
                bytes: event.payload, from: instant.seconds, to: instant.seconds,
                key: [device.rawValue, instant.seconds, row["id"] as DatabaseValue])
        }
    }
}

extension DamagedRow {
    /// The row of a device; nil where it cannot be read, or not whose it is.
    fileprivate init?(_ row: Row) {
        guard let source = String.fromDatabaseValue(row["source"]).flatMap({ Source(rawValue: $0) }),
            let device = String.fromDatabaseValue(row["device"]).flatMap({ DeviceID($0) }),
            let number = Int64.fromDatabaseValue(row["number"]), let name = String.fromDatabaseValue(row["name"]),
            let first = try? row.seconds("first"), let last = try? row.seconds("last"),
            let count = Int.fromDatabaseValue(row["count"])
        else { return nil }
        self.init(
            number: number, source: source, device: device, name: name, from: UnixTime(first), to: UnixTime(last), count: count)
    }
}
