import Foundation
import GRDB
import GatewayPipeline
import TelemetryModel

/// The tables of the file.
extension CheckpointStore {
    /// Makes the tables of a file that was opened in the run `machine` of the operating system. A layout has a number; a later one is made
    /// from the one before it.
    static func migrator(_ machine: String, _ now: GatewayTime) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try createStates(database)
            try database.execute(
                sql: "INSERT INTO clock VALUES (?, ?, ?, 0)", arguments: [machine, now.monotonic, now.unix.seconds])
            try createJournal(database)
            try createHistory(database)
            try createDebt(database)
            try createDamaged(database)
            try createRoom(database)
        }
        return migrator
    }

    /// The table of states has a row for each device. In a table with row ids a row of up to a page needs no other page, and stays where it
    /// is when its length changes.
    private static func createStates(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE state (device TEXT NOT NULL PRIMARY KEY, parts BLOB NOT NULL, number INTEGER NOT NULL DEFAULT 0);
                CREATE TABLE part (device TEXT NOT NULL, name TEXT NOT NULL, version INTEGER NOT NULL, bytes BLOB NOT NULL,
                    PRIMARY KEY (device, name)) WITHOUT ROWID;
                CREATE TABLE waiting (device TEXT NOT NULL, number INTEGER NOT NULL, bytes BLOB NOT NULL,
                    PRIMARY KEY (device, number)) WITHOUT ROWID;
                CREATE TABLE clock (machine TEXT NOT NULL, monotonic DOUBLE NOT NULL, unix DOUBLE NOT NULL, number INTEGER NOT NULL);
                CREATE TABLE poison (topic TEXT NOT NULL, payload BLOB NOT NULL, crashes INTEGER NOT NULL,
                    PRIMARY KEY (topic, payload));
                """)
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
    /// The run of the machine that wrote the file, and when. What of it is missing or has another type is written anew and reported. A
    /// time is written as now, as if none had passed since. The number of the last checkpoint is the greatest that is stored, so that later
    /// rows of the journal have greater ones.
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
        let greatest = try Int64.fetchOne(
            database,
            sql: """
                SELECT max(number) FROM (SELECT number FROM state UNION ALL SELECT number FROM journal)
                WHERE typeof(number) = 'integer' AND number >= 0 AND number < ?
                """, arguments: [Row.mostRows])
        let last = number.map { Int64(bitPattern: $0) } ?? greatest ?? 0
        try database.execute(sql: "DELETE FROM clock")
        try database.execute(
            sql: "INSERT INTO clock (machine, monotonic, unix, number) VALUES (?, ?, ?, ?)",
            arguments: [machine ?? "", saved.monotonic, saved.unix.seconds, last])
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
