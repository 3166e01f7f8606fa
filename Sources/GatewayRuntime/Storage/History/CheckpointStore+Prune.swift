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
    /// How far ahead of the gateway's clocks what is stored may be dated, in seconds: as far as samples of a history may be.
    private static let aheadSeconds = 86_400.0
    /// More than a device can use, in bytes: a greater number is damaged.
    private static let mostBytes = 1 << 40
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
                """)
        try database.execute(sql: trigger("history") { "\($0).bytes" })
        try database.execute(sql: trigger("events") { "length(\($0).payload)" })
    }

    /// Deletes what is older than is kept, by the believed clock, and the oldest of the devices that use most while there is no room. It also
    /// deletes histories of devices that were removed a day of running time ago and are not known again. All of it is counted and logged.
    package func pruneHistory(at now: GatewayTime, isKnown: (DeviceID) -> Bool) throws {
        let time = clock.observe(now)
        try clock.store(at: now)
        let oldest = HistoryDay.day(of: time.limit) - history.days
        let (deleted, overdue) = try database.write { database in
            var deleted = try Self.deleteExpired(before: oldest, in: database)
            history.note(try use(at: time.running, in: database), in: path)
            let shares = history.shares(of: path)
            if !shares.isEmpty {
                try Self.makeRoom(by: shares, until: time.latest.seconds + Self.aheadSeconds, &deleted, in: database)
                history.note(try use(at: time.running, in: database), in: path)
            }
            return (deleted, try self.overdue(at: time.running, isKnown, in: database))
        }
        note(deleted)
        for name in overdue where try database.overwriting({ try Self.eraseHistory(of: name, in: $0) }) {
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

    /// The devices that were removed a day ago. A time that is ahead was written beside another clock, and one that cannot be
    /// read is none: the day begins now.
    private func overdue(
        at running: Double, _ isKnown: (DeviceID) -> Bool, in database: Database
    ) throws -> [String] {
        var overdue: [String] = []
        try database.execute(sql: "DELETE FROM removed WHERE typeof(device) <> 'text'")
        if database.changesCount > 0 {
            logger?.error("the name of a device that was removed from the registry cannot be read: its history is deleted by age")
        }
        for row in try Row.fetchAll(database, sql: "SELECT device, at FROM removed") {
            let (name, at): (String, Double) = (
                try row.stored("device"), Double.fromDatabaseValue(row["at"]) ?? .infinity
            )
            if DeviceID(name).map(isKnown) ?? false {
                try database.execute(sql: "DELETE FROM removed WHERE device = ?", arguments: [name])
            } else if at > running {
                try database.execute(sql: "UPDATE removed SET at = ? WHERE device = ?", arguments: [running, name])
            } else if at <= running - Self.removedSeconds {
                overdue.append(name)
            }
        }
        return overdue
    }

    // MARK: Room

    /// What samples and messages use, at `running` of the clock.
    private func use(at running: Double, in database: Database) throws -> HistoryStorage.Use {
        let others = try history.otherBytes(of: path, at: running) { try Self.otherBytes(in: database) }
        var devices: [String: Int] = [:]
        let rows = try Row.fetchCursor(
            database, sql: "SELECT device, bytes FROM room WHERE typeof(device) = 'text' AND typeof(bytes) = 'integer'")
        while let row = try rows.next() {
            let (device, bytes): (String, Int) = (try row.stored("device"), try row.stored("bytes"))
            devices[device] = min(max(0, bytes), Self.mostBytes)
        }
        return .init(bytes: max(0, try Self.usedPages(in: database) * Self.pageBytes(in: database) - others), devices: devices)
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

    /// Deletes the oldest rows of devices until each has given up its share, or so many pages are free. Always of the device that uses
    /// most, which has the most left to give up. What is dated after `latest` comes before the oldest: it would be kept for good.
    private static func makeRoom(
        by shares: [HistoryStorage.Share], until latest: Double, _ deleted: inout [String: HistoryDeletion],
        in database: Database
    ) throws {
        let (before, page) = (try usedPages(in: database), try pageBytes(in: database))
        let wanted = shares.reduce(0) { $0 + $1.bytes }
        var (shares, rows) = (shares, 0)
        while rows < mostRows, (before - (try usedPages(in: database))) * page < wanted, var share = shares.popLast() {
            var deletion = deleted[share.device] ?? HistoryDeletion()
            guard let bytes = try deleteOldest(of: share.device, until: latest, &deletion, in: database) else {
                try database.execute(sql: "DELETE FROM room WHERE device = ?", arguments: [share.device])
                continue
            }
            deleted[share.device] = deletion
            rows += 1
            share.bytes -= bytes
            guard share.bytes > 0 else { continue }
            shares.insert(share, at: shares.firstIndex { $0.bytes > share.bytes } ?? shares.endIndex)
        }
    }

    /// Deletes the oldest minute or message of a device, those dated after `latest` first; returns how many bytes it took, nil where there is
    /// none. A value of another type comes after all numbers.
    private static func deleteOldest(
        of device: String, until latest: Double, _ deletion: inout HistoryDeletion, in database: Database
    ) throws -> Int? {
        func first(_ columns: String, _ table: String, _ key: String, after limit: Double) throws -> Row? {
            let sql = "SELECT \(columns) FROM \(table) WHERE device = ?"
            let ahead = try Row.fetchOne(
                database, sql: "\(sql) AND \(key) > ? ORDER BY \(key) DESC LIMIT 1", arguments: [device, limit])
            if let ahead { return ahead }
            return try Row.fetchOne(database, sql: "\(sql) ORDER BY \(key) LIMIT 1", arguments: [device])
        }
        let minute = try first("rowid AS number, minute, bytes", "history", "minute", after: latest / 60)
        let event = try first("at, CAST(id AS BLOB) AS name, length(payload) AS bytes", "events", "at", after: latest)
        let number = minute.flatMap { Int.fromDatabaseValue($0["minute"]) }.flatMap { $0.magnitude < 1 << 40 ? $0 : nil }
        if let event {
            let at = Double.fromDatabaseValue(event["at"]) ?? .infinity
            let start: Double = number.map { Double($0) * 60 } ?? .infinity
            let isFirst = at > latest || (start <= latest && at < start)
            if minute == nil || isFirst {
                try database.cachedStatement(sql: "DELETE FROM events WHERE device = ? AND at = ? AND CAST(id AS BLOB) = ?")
                    .execute(arguments: [device, event["at"] as DatabaseValue, event["name"] as DatabaseValue])
                deletion.discardedEvents += 1
                return (Int.fromDatabaseValue(event["bytes"]) ?? 0) + rowBytes
            }
        }
        guard let minute else { return nil }
        try database.cachedStatement(sql: "DELETE FROM history WHERE rowid = ?")
            .execute(arguments: [minute["number"] as DatabaseValue])
        deletion.discardedMinutes += 1
        if let number {
            let day = number / HistoryDay.minutes
            let isDayLeft = try Bool.fetchOne(
                database, sql: "SELECT EXISTS (SELECT 1 FROM history WHERE device = ? AND minute >= ? AND minute < ?)",
                arguments: [device, day * HistoryDay.minutes, (day + 1) * HistoryDay.minutes])
            if isDayLeft != true { deletion.discardedDays += 1 }
        }
        return max(0, Int.fromDatabaseValue(minute["bytes"]) ?? 0) + rowBytes
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
