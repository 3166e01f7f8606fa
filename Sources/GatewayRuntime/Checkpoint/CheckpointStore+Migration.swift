import Foundation
import GRDB
import GatewayPipeline
import TelemetryModel

/// The layouts of the file, and what is read of earlier ones.
extension CheckpointStore {
    /// `states` is the layout of the versions that stored a state whole, `parts` that with a row for each part, `rows` that with one
    /// row for a device's parts, `journal` the present one. `packed` has its tables: versions before it do not read `PackedColumn`, and have to
    /// refuse the file in place of dropping parts of it. `debt` adds what is not published yet, and what cannot be read.
    static func migrator(
        _ machine: String, _ now: GatewayTime, _ report: @escaping @Sendable (DroppedPart) -> Void
    ) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("states") { database in
            try database.create(table: "device") { table in
                table.primaryKey("id", .text)
                table.column("version", .text).notNull()
                table.column("machine", .text).notNull()
                table.column("savedMonotonic", .double).notNull()
                table.column("savedUnix", .double).notNull()
                table.column("state", .blob).notNull()
            }
            try database.create(table: "suspect") { table in
                table.column("topic", .text).notNull()
                table.column("payload", .blob).notNull()
                table.column("crashes", .integer).notNull()
                table.primaryKey(["topic", "payload"])
            }
        }
        migrator.registerMigration("parts") { database in
            try database.execute(
                sql: """
                    CREATE TABLE part (device TEXT NOT NULL, name TEXT NOT NULL, version INTEGER NOT NULL, bytes BLOB NOT NULL,
                        PRIMARY KEY (device, name)) WITHOUT ROWID;
                    CREATE TABLE waiting (device TEXT NOT NULL, number INTEGER NOT NULL, bytes BLOB NOT NULL,
                        PRIMARY KEY (device, number)) WITHOUT ROWID;
                    CREATE TABLE clock (machine TEXT NOT NULL, monotonic DOUBLE NOT NULL, unix DOUBLE NOT NULL,
                        isRenamed BOOLEAN NOT NULL);
                    """)
            try createStates(database)
            let rows = try Row.fetchAll(database, sql: "SELECT * FROM device")
            for row in rows { try split(row, machine: machine, at: now, in: database, report) }
            try database.execute(
                sql: "INSERT INTO clock VALUES (?, ?, ?, ?)",
                arguments: [machine, now.monotonic, now.unix.seconds, !rows.isEmpty])
            try database.drop(table: "device")
        }
        migrator.registerMigration("history") { try createHistory($0) }
        migrator.registerMigration("rows") { database in
            try createStates(database)
            for stored in try stored(database) {
                var change = StateChange(device: stored.device)
                change.parts = stored.parts.values.filter { !$0.hasOwnRow }
                guard !change.parts.isEmpty else { continue }
                for part in change.parts {
                    try database.execute(
                        sql: "DELETE FROM part WHERE device = ? AND name = ?", arguments: [stored.device.rawValue, part.name])
                }
                try write(change, to: database)
            }
        }
        migrator.registerMigration("journal") { database in
            if try !database.columns(in: "state").contains(where: { $0.name == "number" }) {
                try database.execute(sql: "ALTER TABLE state ADD COLUMN number INTEGER NOT NULL DEFAULT 0")
            }
            try createJournal(database)
        }
        migrator.registerMigration("packed") { _ in }
        migrator.registerMigration("debt") { database in
            try createDebt(database)
            try createDamaged(database)
        }
        migrator.registerMigration("room") { try createRoom($0) }
        return migrator
    }

    /// Makes the table of states, which has a row for each device. In a table with row ids a row of up to a page needs no other
    /// page, and stays where it is when its length changes.
    private static func createStates(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS state (device TEXT NOT NULL PRIMARY KEY, parts BLOB NOT NULL, number INTEGER NOT NULL DEFAULT 0)
                """)
    }

    private static func split(
        _ row: Row, machine: String, at now: GatewayTime, in database: Database, _ report: (DroppedPart) -> Void
    ) throws {
        guard let device = String.fromDatabaseValue(row["id"]).flatMap({ DeviceID($0) }) else { return }
        let version = String.fromDatabaseValue(row["version"]) ?? ""
        guard version == DeviceState.wholeVersion else {
            return report(DroppedPart(device: device, part: "state", reason: "it has version \(version), which is not read"))
        }
        do {
            var dropped: [DroppedPart] = []
            var state = try DeviceState(whole: row.bytes("state"), of: device, dropped: &dropped)
            dropped.forEach(report)
            let origin: String = try row.stored("machine")
            if origin != machine {
                let saved = GatewayTime(
                    unix: UnixTime(try row.seconds("savedUnix")), monotonic: try row.seconds("savedMonotonic"))
                state.shiftMonotonic(by: saved.shift(to: now))
            }
            try write(state.change(of: device), to: database)
        } catch let error where !(error is DatabaseError) {
            report(DroppedPart(device: device, part: "state", reason: "\(error)"))
        }
    }

    /// Moves every instant on disk to the monotonic clock of this run of the machine, if another run wrote it.
    static func moveClock(
        _ database: Database, to machine: String, at now: GatewayTime, _ report: (DroppedPart) -> Void
    ) throws {
        let clock = try readClock(database, at: now, report)
        guard clock.machine != machine else { return }
        let shift = clock.saved.shift(to: now)
        var dropped: [DroppedPart] = []
        for stored in try stored(database) {
            var state = RestoredState(stored) { dropped.append($0) }.state
            state.shiftMonotonic(by: shift)
            var change = try state.change(of: stored.device)
            change.number = stored.number
            try write(change, to: database)
        }
        // By the time at which the file was written, which it loses here.
        try setAside(dropped.map(UnreadableRow.init), in: database).forEach(report)
        try shiftJournal(in: database, by: shift)
        try database.execute(
            sql: "UPDATE clock SET machine = ?, monotonic = ?, unix = ?", arguments: [machine, now.monotonic, now.unix.seconds])
    }
}

extension CheckpointStore {
    /// The run of the machine that wrote the file, and when. What of it is missing or has another type is written anew and reported: a
    /// time as now, as if none had passed since; the number of the last checkpoint as the greatest that is stored, so that later rows of
    /// the journal have greater ones.
    private static func readClock(
        _ database: Database, at now: GatewayTime, _ report: (DroppedPart) -> Void
    ) throws -> (machine: String, saved: GatewayTime) {
        let row = try Row.fetchOne(database, sql: "SELECT * FROM clock")
        let machine = row.flatMap { String.fromDatabaseValue($0["machine"]) }
        let monotonic = row.flatMap { try? $0.seconds("monotonic") }
        let unix = row.flatMap { try? $0.seconds("unix") }
        let number = row.flatMap { try? $0.number("number") }
        let saved = GatewayTime(unix: unix.map { UnixTime($0) } ?? now.unix, monotonic: monotonic ?? now.monotonic)
        guard machine == nil || monotonic == nil || unix == nil || number == nil else { return (machine ?? "", saved) }
        report(DroppedPart(device: nil, part: "clock", reason: "a value is missing, impossible or has another type"))
        let isRenamed = row.flatMap { Bool.fromDatabaseValue($0["isRenamed"]) } ?? false
        let greatest = try Int64.fetchOne(
            database,
            sql: """
                SELECT max(number) FROM (SELECT number FROM state UNION ALL SELECT number FROM journal)
                WHERE typeof(number) = 'integer' AND number >= 0 AND number < ?
                """, arguments: [Row.mostRows])
        let last = number.map { Int64(bitPattern: $0) } ?? greatest ?? 0
        try database.execute(sql: "DELETE FROM clock")
        try database.execute(
            sql: "INSERT INTO clock (machine, monotonic, unix, isRenamed, number) VALUES (?, ?, ?, ?, ?)",
            arguments: [machine ?? "", saved.monotonic, saved.unix.seconds, isRenamed, last])
        return (machine ?? "", saved)
    }
}

extension GatewayTime {
    /// Seconds from an instant of the monotonic clock of another run of the machine, at which this was the time, to the one at
    /// `now`. What went by meanwhile is known by the wall clock alone; one that went back counts as no time.
    func shift(to now: GatewayTime) -> Double {
        now.monotonic - max(0, now.unix.seconds - unix.seconds) - monotonic
    }
}
