import GRDB
package import GatewayPipeline
import Logging
package import TelemetryModel

/// What is deleted of histories: by age, to make room, and a day after a device was removed from the registry.
extension CheckpointStore {
    /// How long the history of a device that was removed from the registry is kept, in seconds of running time.
    private static let removedSeconds = 86_400.0
    /// The most rows that one call deletes to make room; the next goes on.
    private static let mostRows = 2_000
    /// The most devices that a call names in the log.
    private static let mostNamed = 10
    /// What a row takes beside what it holds, in bytes.
    private static let rowBytes = 100
    /// The tables and indices that the limit counts.
    private static let counted = [
        "history", "sqlite_autoindex_history_1", "historyDay", "events", "eventsAt", "removed", "room", "roomBytes",
    ]

    /// Makes the table of what each device uses, which triggers keep.
    static func createRoom(_ database: Database) throws {
        func trigger(_ table: String, _ bytes: (_ row: String) -> String) -> String {
            """
            CREATE TRIGGER \(table)Added AFTER INSERT ON \(table) BEGIN
                INSERT INTO room SELECT new.device, 0 WHERE NOT EXISTS (SELECT 1 FROM room WHERE device = new.device);
                UPDATE room SET bytes = bytes + \(bytes("new")) + \(rowBytes) WHERE device = new.device;
            END;
            CREATE TRIGGER \(table)Deleted AFTER DELETE ON \(table) BEGIN
                UPDATE room SET bytes = bytes - \(bytes("old")) - \(rowBytes) WHERE device = old.device;
                DELETE FROM room WHERE device = old.device AND bytes <= 0;
            END;
            """
        }
        try database.execute(
            sql: """
                CREATE TABLE room (device TEXT NOT NULL PRIMARY KEY, bytes INTEGER NOT NULL) WITHOUT ROWID;
                CREATE INDEX roomBytes ON room (bytes);
                INSERT INTO room SELECT device, sum(size) FROM (
                    SELECT device, bytes + \(rowBytes) AS size FROM history
                    UNION ALL SELECT device, length(payload) + \(rowBytes) FROM events) GROUP BY device;
                """)
        try database.execute(sql: trigger("history") { "\($0).bytes" })
        try database.execute(sql: trigger("events") { "length(\($0).payload)" })
    }

    /// Deletes what is older than is kept, by the believed clock; the oldest of the devices that use most while there is no room; and the
    /// histories of devices that were removed a day of running time ago and are not known again. What is deleted is counted and logged.
    package func pruneHistory(at now: GatewayTime, isKnown: (DeviceID) -> Bool) throws {
        let time = clock.observe(now)
        try clock.store(at: now)
        let oldest = HistoryDay.day(of: time.limit) - history.days
        let (deleted, overdue) = try database.write { database in
            var deleted = try Self.deleteExpired(before: oldest, in: database)
            history.note(bytes: try usedBytes(at: time.running, in: database), in: path)
            let excess = history.excess(of: path)
            if excess > 0 {
                try Self.makeRoom(for: excess, &deleted, in: database)
                history.note(bytes: try usedBytes(at: time.running, in: database), in: path)
            }
            return (deleted, try Self.overdue(at: time.running, isKnown, in: database))
        }
        note(deleted)
        for name in overdue where try overwriting({ try Self.eraseHistory(of: name, in: $0) }) {
            history.note(erased: 1)
            logger?.notice(
                "the history of a device is erased: it was removed from the registry a day ago", metadata: ["device": "\(name)"])
        }
    }

    private static func deleteExpired(before day: Int, in database: Database) throws -> [String: HistoryDeletion] {
        var deleted: [String: HistoryDeletion] = [:]
        for device in try String.fetchAll(database, sql: "DELETE FROM history WHERE day < ? RETURNING device", arguments: [day]) {
            deleted[device, default: HistoryDeletion()].expiredMinutes += 1
        }
        let before = Double(day) * HistoryDay.seconds
        for device in try String.fetchAll(database, sql: "DELETE FROM events WHERE at < ? RETURNING device", arguments: [before])
        {
            deleted[device, default: HistoryDeletion()].expiredEvents += 1
        }
        try database.execute(sql: "DELETE FROM damaged WHERE last < ?", arguments: [before])
        return deleted
    }

    /// The devices that were removed a day ago. A time that is ahead was written by an earlier version, or beside another clock: the day
    /// begins now.
    private static func overdue(
        at running: Double, _ isKnown: (DeviceID) -> Bool, in database: Database
    ) throws -> [String] {
        var overdue: [String] = []
        for row in try Row.fetchAll(database, sql: "SELECT device, at FROM removed") {
            let (name, at): (String, Double) = (row["device"], row["at"])
            if DeviceID(name).map(isKnown) ?? false {
                try database.execute(sql: "DELETE FROM removed WHERE device = ?", arguments: [name])
            } else if at > running {
                try database.execute(sql: "UPDATE removed SET at = ? WHERE device = ?", arguments: [running, name])
            } else if at <= running - removedSeconds {
                overdue.append(name)
            }
        }
        return overdue
    }

    // MARK: Room

    /// The bytes of the pages that samples and messages use, at `running` of the clock.
    private func usedBytes(at running: Double, in database: Database) throws -> Int {
        let others = try history.otherBytes(of: path, at: running) { try Self.otherBytes(in: database) }
        return max(0, try Self.usedPages(in: database) * Self.pageBytes(in: database) - others)
    }

    /// The bytes of the pages that everything else uses; reads them.
    private static func otherBytes(in database: Database) throws -> Int {
        let names = try String.fetchAll(database, sql: "SELECT name FROM sqlite_schema WHERE rootpage > 0")
        return try (names + ["sqlite_schema"]).filter { !counted.contains($0) }.reduce(0) { sum, name in
            sum
                + (try Int.fetchOne(
                    database, sql: "SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name = ? AND aggregate = TRUE",
                    arguments: [name]) ?? 0)
        }
    }

    private static func usedPages(in database: Database) throws -> Int {
        let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
        return pages - (try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0)
    }

    private static func pageBytes(in database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 4_096
    }

    /// Deletes rows until so many bytes are free: always the oldest of the device that uses most. That one is above an equal share, so
    /// no other pays for it.
    private static func makeRoom(
        for excess: Int, _ deleted: inout [String: HistoryDeletion], in database: Database
    ) throws {
        let (before, page) = (try usedPages(in: database), try pageBytes(in: database))
        var (bytes, rows) = (0, 0)
        while bytes < excess, (before - (try usedPages(in: database))) * page < excess, rows < mostRows,
            let device = try String.fetchOne(database, sql: "SELECT device FROM room ORDER BY bytes DESC, device LIMIT 1")
        {
            var deletion = deleted[device] ?? HistoryDeletion()
            guard let row = try deleteOldest(of: device, &deletion, in: database) else {
                try database.execute(sql: "DELETE FROM room WHERE device = ?", arguments: [device])
                continue
            }
            deleted[device] = deletion
            bytes += row
            rows += 1
        }
    }

    /// Deletes the oldest minute or message of a device; returns how many bytes it took, nil where there is none.
    private static func deleteOldest(
        of device: String, _ deletion: inout HistoryDeletion, in database: Database
    ) throws -> Int? {
        let minute = try Row.fetchOne(
            database, sql: "SELECT minute, day, bytes FROM history WHERE device = ? ORDER BY minute LIMIT 1", arguments: [device])
        let event = try Row.fetchOne(
            database, sql: "SELECT at, id, length(payload) AS bytes FROM events WHERE device = ? ORDER BY at, id LIMIT 1",
            arguments: [device])
        if let event, minute.map({ (event["at"] as Double) < Double($0["minute"] as Int) * 60 }) ?? true {
            try database.cachedStatement(sql: "DELETE FROM events WHERE device = ? AND at = ? AND id = ?")
                .execute(arguments: [device, event["at"] as Double, event["id"] as String])
            deletion.discardedEvents += 1
            return (event["bytes"] as Int) + rowBytes
        }
        guard let minute else { return nil }
        let day: Int = minute["day"]
        try database.cachedStatement(sql: "DELETE FROM history WHERE device = ? AND minute = ?")
            .execute(arguments: [device, minute["minute"] as Int])
        deletion.discardedMinutes += 1
        let isDayLeft = try Bool.fetchOne(
            database, sql: "SELECT EXISTS (SELECT 1 FROM history WHERE device = ? AND minute >= ? AND minute < ?)",
            arguments: [device, day * HistoryDay.minutes, (day + 1) * HistoryDay.minutes])
        if isDayLeft != true { deletion.discardedDays += 1 }
        return (minute["bytes"] as Int) + rowBytes
    }

    // MARK: Reports

    private func note(_ deleted: [String: HistoryDeletion]) {
        guard !deleted.isEmpty else { return }
        var sum = HistoryDeletion()
        for deletion in deleted.values { sum.add(deletion) }
        history.note(sum)
        // Those that were deleted before their time come first.
        let order = deleted.sorted { ($1.value.discardedMinutes, $0.key) < ($0.value.discardedMinutes, $1.key) }
        for (device, deletion) in order.prefix(Self.mostNamed) { log(deletion, ["device": "\(device)"]) }
        guard order.count > Self.mostNamed else { return }
        var rest = HistoryDeletion()
        for (_, deletion) in order.dropFirst(Self.mostNamed) { rest.add(deletion) }
        log(rest, ["devices": "\(order.count - Self.mostNamed)"])
    }

    private func log(_ deletion: HistoryDeletion, _ metadata: Logger.Metadata) {
        var metadata = metadata
        if deletion.expiredMinutes > 0 || deletion.expiredEvents > 0 {
            metadata["expiredMinutes"] = "\(deletion.expiredMinutes)"
            metadata["expiredEvents"] = "\(deletion.expiredEvents)"
        }
        guard deletion.isDiscarded else {
            logger?.info("history older than history.days is deleted", metadata: metadata)
            return
        }
        metadata["discardedMinutes"] = "\(deletion.discardedMinutes)"
        metadata["discardedEvents"] = "\(deletion.discardedEvents)"
        logger?.warning("history is deleted to make room: history.maximumMegabytes", metadata: metadata)
    }
}
