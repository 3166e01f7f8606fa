import Foundation
import GRDB
package import GatewayPipeline
package import Logging
import StateCoding
import Synchronization
package import TelemetryModel

/// The states of one lane's devices on disk: one SQLite file, one transaction a checkpoint, a row for each device's state, and one for
/// each of its messages that are retained, kept for requests, or wait. Messages that are smaller than the state that they lead to are stored in
/// its place, all of a checkpoint in one row.
///
/// Write-ahead logging with full synchronization: when `write` returns, what it wrote survives a loss of power if the disk
/// does not acknowledge what it has not stored.
package final class CheckpointStore: Sendable {
    let database: DatabaseQueue
    let history: HistoryStorage
    /// The time that deletion goes by.
    let clock: StoredClock
    let logger: Logger?
    let path: String
    let report: @Sendable (_ problem: DroppedPart) -> Void
    /// Whether rows were set aside since `unreportedRows` was asked.
    let hasUnreported = Atomic(false)
    /// Whether the file was made now; otherwise it holds everything that was acknowledged.
    package let isNew: Bool

    /// Opens the file at `path`, or makes it; `machine` names the run of the operating system, `now` is the gateway's time. A part
    /// of a state that cannot be read is left out and reported.
    ///
    /// Throws `DamagedStore` when the file is no database, `GatewayError` when it cannot be used or has another layout.
    package init(
        path: String, machine: String, at now: GatewayTime, history: HistoryStorage = HistoryStorage(),
        clock: StoredClock = StoredClock(), logger: Logger? = nil,
        report: @escaping @Sendable (DroppedPart) -> Void
    ) throws {
        self.path = path
        self.history = history
        (self.clock, self.logger) = (clock, logger)
        self.report = report
        var configuration = Configuration()
        configuration.busyMode = .timeout(DatabaseQueue.openingSeconds)
        configuration.prepareDatabase { database in
            // Most parts fit into a page; in smaller pages each would take overflow pages of its own.
            try database.execute(sql: "PRAGMA page_size = 4096")
            // In KiB: pages of devices that report are not read again for every commit.
            try database.execute(sql: "PRAGMA cache_size = -4096")
            try database.logAhead()
            // A row that is replaced is deleted: the room of its device is counted by triggers.
            try database.execute(sql: "PRAGMA recursive_triggers = ON")
        }
        do {
            try StateFiles.makeDatabase(path)
            database = try DatabaseQueue(path: path, configuration: configuration)
            let verdict = try database.read { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") }
            if let verdict, verdict != "ok" { throw DamagedStore(description: "\(path): \(verdict)") }
            let migrator = Self.migrator(machine, now)
            if try database.read(migrator.hasBeenSuperseded) {
                throw GatewayError(
                    "\(path) was written by a version of fathom with another layout; use that, or move it aside to begin without what it holds"
                )
            }
            isNew = try database.read { try !$0.tableExists("clock") }
            try migrator.migrate(database)
            try database.write { try Self.moveClock($0, to: machine, at: now, report) }
            _ = try database.read { try Self.stored($0) }
            // A commit that cannot be written fails at once: the broker delivers its frames again.
            try database.inDatabase { try $0.execute(sql: "PRAGMA busy_timeout = 0") }
        } catch let error as DatabaseError where error.isDamage {
            throw DamagedStore(description: "\(path): \(error)")
        } catch let error as DatabaseError {
            throw GatewayError("\(path): \(error)")
        }
    }

    /// Writes a checkpoint as a whole, and deletes the rows of the journal before `firstRow`; throws, and has written nothing, when the
    /// disk is full or fails. With `isCounted` the number of the checkpoint rises though no row of the journal is written. What was published
    /// of `settled` is accepted.
    package func write(
        _ changes: [StateChange], journal: [JournalRow] = [], from firstRow: UInt64 = 0, settled: SettledRows = SettledRows(),
        isCounted: Bool = false, at now: GatewayTime
    ) throws {
        guard !changes.isEmpty || !settled.isEmpty else { return }
        let running = changes.contains(where: \.isRemoved) ? clock.observe(now).running : 0
        let write = { (database: Database) in
            var erased = 0
            for change in changes {
                try Self.write(change, to: database)
                if try Self.writeHistory(change, removedAt: running, to: database) { erased += 1 }
            }
            let last = changes.reduce(0) { max($0, $1.number) }
            try Self.write(journal, from: firstRow, to: database)
            try Self.settle(settled, in: database)
            try database.cachedStatement(sql: "UPDATE clock SET monotonic = ?, unix = ?, number = max(number, ?) + ?")
                .execute(arguments: [now.monotonic, now.unix.seconds, Int64(bitPattern: last), isCounted ? 1 : 0])
            FaultPoint.committing.reach()
            return erased
        }
        let erases = changes.contains { $0.erasesHistory || !$0.erasedKinds.isEmpty }
        history.note(erased: try erases ? database.overwriting(write) : database.write(write))
    }

    static func write(_ change: StateChange, to database: Database) throws {
        let device = change.device.rawValue
        if change.replacesAll {
            try database.cachedStatement(sql: "DELETE FROM state WHERE device = ?").execute(arguments: [device])
            try database.cachedStatement(sql: "DELETE FROM part WHERE device = ?").execute(arguments: [device])
            try database.cachedStatement(sql: "DELETE FROM waiting WHERE device = ?").execute(arguments: [device])
        }
        if change.touchesRow || change.endsJournal { try database.updateState(by: change) }
        if change.parts.contains(where: \.hasOwnRow) {
            let insert = try database.cachedStatement(
                sql: """
                    INSERT INTO part (device, name, version, bytes) VALUES (?, ?, ?, ?)
                    ON CONFLICT (device, name) DO UPDATE SET version = excluded.version, bytes = excluded.bytes
                    """)
            for part in change.parts where part.hasOwnRow { try insert.write(part, of: device) }
        }
        for name in change.removedParts where StatePart.hasOwnRow(name) {
            try database.cachedStatement(sql: "DELETE FROM part WHERE device = ? AND name = ?").execute(arguments: [device, name])
        }
        for number in change.removedWaiting {
            try database.cachedStatement(sql: "DELETE FROM waiting WHERE device = ? AND number = ?")
                .execute(arguments: [device, Int64(bitPattern: number)])
        }
        for row in change.waiting {
            try database.cachedStatement(sql: "INSERT OR REPLACE INTO waiting (device, number, bytes) VALUES (?, ?, ?)")
                .execute(arguments: [device, Int64(bitPattern: row.number), Data(row.bytes)])
        }
    }

    /// Every state there is, in the order of the devices. Throws where messages are journaled: `replayJournal` comes first.
    ///
    /// Where something could not be read, or is found by a scan and not by its key, what could be read is written anew: from then on
    /// the file holds that and nothing else.
    package func load() throws -> [RestoredState] {
        let (stored, ownerless, isDamaged) = try database.read { database in
            guard try !Self.hasJournal(database) else { throw GatewayError("\(path): the journal has to be replayed first") }
            var ownerless: [UnreadableRow] = []
            let stored = try Self.stored(database, ownerless: &ownerless)
            return (stored, ownerless, try stored.contains { try Self.stored(database, of: $0.device).first != $0 })
        }
        var dropped: [DroppedPart] = []
        let states = stored.map { stored in RestoredState(stored) { dropped.append($0) } }
        if isDamaged || !dropped.isEmpty || !ownerless.isEmpty {
            report(
                try database.write { [dropped] database in
                    try database.execute(sql: "DELETE FROM state; DELETE FROM part; DELETE FROM waiting")
                    for state in states { try Self.write(try state.wholeChange(), to: database) }
                    return try Self.setAside(dropped.map(UnreadableRow.init) + ownerless, in: database)
                })
        }
        return states
    }

    /// The state of one device of which no message is journaled; nil when there is none. What cannot be read of it is set aside.
    package func load(_ device: DeviceID) throws -> DeviceState? {
        guard let stored = try database.read({ try Self.stored($0, of: device).first }) else { return nil }
        var dropped: [DroppedPart] = []
        let restored = RestoredState(stored) { dropped.append($0) }
        if !dropped.isEmpty {
            report(
                try database.write { [dropped] database in
                    try Self.write(try restored.wholeChange(), to: database)
                    return try Self.setAside(dropped.map(UnreadableRow.init), in: database)
                })
        }
        return restored.state
    }

    /// All states as they are stored, with the messages that are owed.
    func storedStates() throws -> [StoredState] {
        try database.read { database in
            let owed = try Self.owed(in: database)
            return try Self.stored(database).map { $0.owing(owed) }
        }
    }

    /// Whether a state is stored, or a journal that one follows from.
    func holdsStates() throws -> Bool {
        try database.read { database in
            let sql = ["state", "part", "waiting", "journal", "debt"].map { "EXISTS (SELECT 1 FROM \($0))" }.joined(
                separator: " OR ")
            return try Bool.fetchOne(database, sql: "SELECT \(sql)") ?? false
        }
    }

    /// What is stored of devices, with the messages that are owed; nil for those of which nothing is.
    func storedStates(of devices: Set<DeviceID>) throws -> [(device: DeviceID, stored: StoredState?)] {
        try database.read { database in
            try devices.map { ($0, try Self.stored(database, of: $0).first?.owing(try Self.owed(of: $0, in: database))) }
        }
    }

    /// Every state there is, or that of `device` alone.
    static func stored(_ database: Database, of device: DeviceID? = nil) throws -> [StoredState] {
        var ownerless: [UnreadableRow] = []
        return try stored(database, of: device, ownerless: &ownerless)
    }

    /// Every state there is, or that of `device` alone; rows of which it cannot be read whose they are are added to `ownerless`.
    static func stored(
        _ database: Database, of device: DeviceID? = nil, ownerless: inout [UnreadableRow]
    ) throws -> [StoredState] {
        var stored: [DeviceID: StoredState] = [:]
        let condition = device == nil ? "" : "WHERE device = ?"
        let arguments: StatementArguments = device.map { [$0.rawValue] } ?? []
        func owner(of row: Row, _ table: String, _ column: String) -> DeviceID? {
            if let device = device ?? String.fromDatabaseValue(row["device"]).flatMap({ DeviceID($0) }) { return device }
            ownerless.append(
                UnreadableRow(
                    source: .state, device: nil, name: table, reason: "it is not known whose it is", bytes: row.remains(column)))
            return nil
        }
        for row in try Row.fetchAll(database, sql: "SELECT * FROM state \(condition)", arguments: arguments) {
            if let device = owner(of: row, "state", "parts") { add(state: row, of: device, to: &stored) }
        }
        for row in try Row.fetchAll(database, sql: "SELECT * FROM part \(condition)", arguments: arguments) {
            if let device = owner(of: row, "part", "bytes") { add(part: row, of: device, to: &stored) }
        }
        let waiting = "SELECT * FROM waiting \(condition) ORDER BY number"
        for row in try Row.fetchAll(database, sql: waiting, arguments: arguments) {
            if let device = owner(of: row, "waiting", "bytes") { add(waiting: row, of: device, to: &stored) }
        }
        return stored.values.sorted { $0.device < $1.device }
    }

    private static func add(state row: Row, of device: DeviceID, to stored: inout [DeviceID: StoredState]) {
        var state = StoredState(device: device)
        do {
            let (parts, damage) = StateRow.parts(of: try row.bytes("parts"))
            // Without its number it is not known which rows of the journal it includes: it begins anew, and takes them all.
            state.number = try row.number("number")
            (state.parts, state.damage) = (Dictionary(parts.map { ($0.name, $0) }) { $1 }, damage)
        } catch {
            state.damage = "\(error)"
        }
        if state.damage != nil { state.damagedRow = row.remains("parts") }
        stored[device] = state
    }

    /// Adds a part. One with a value of another type has a name, a version or bytes that cannot be read.
    private static func add(part row: Row, of device: DeviceID, to stored: inout [DeviceID: StoredState]) {
        let name = String.fromDatabaseValue(row["name"]) ?? ""
        stored[device, default: StoredState(device: device)].parts[name] = StatePart(
            name: name, version: Int.fromDatabaseValue(row["version"]) ?? -1, bytes: row.remains("bytes"))
    }

    /// Adds a frame that waits. One without a number cannot be removed by it, and is none that can be read.
    private static func add(waiting row: Row, of device: DeviceID, to stored: inout [DeviceID: StoredState]) {
        let number = try? row.number("number")
        stored[device, default: StoredState(device: device)].waiting.append(
            .init(number: number ?? 0, bytes: number == nil ? [] : row.remains("bytes")))
    }
}

extension StoredState {
    /// The state with what is owed of the device.
    fileprivate func owing(_ owed: [String: [[UInt8]]]) -> StoredState {
        var stored = self
        stored.owed = owed[device.rawValue] ?? []
        return stored
    }
}

/// A device's state as it was stored.
package struct RestoredState: Sendable {
    /// Whose it is.
    package let device: DeviceID
    /// The state.
    package var state: DeviceState
    /// The last row of the journal that it includes.
    let number: UInt64
    /// The messages to publish that a replay has led to, encoded, in their order.
    let owed: [[UInt8]]

    init(_ stored: StoredState, _ report: (DroppedPart) -> Void) {
        var dropped: [DroppedPart] = []
        device = stored.device
        number = stored.number
        owed = stored.owed
        state = DeviceState(stored, dropped: &dropped)
        dropped.forEach(report)
    }

    /// The whole state, replacing what is stored.
    func wholeChange() throws -> StateChange {
        var change = try state.change(of: device)
        change.number = number
        return change
    }
}

extension CheckpointStore {
    /// Counts one more crash while `message` was processed.
    func countCrash(topic: String, payload: [UInt8]) throws {
        try database.write { database in
            try database.execute(
                sql: """
                    INSERT INTO poison (topic, payload, crashes) VALUES (?, ?, 1)
                    ON CONFLICT (topic, payload) DO UPDATE SET crashes = crashes + 1
                    """, arguments: [topic, Data(payload)])
        }
    }

    /// The messages on which the process has crashed.
    func poisonCandidates() throws -> [Quarantine.PoisonCandidate] {
        try database.read { database in
            // One that cannot be read matches no message.
            try Row.fetchAll(database, sql: "SELECT topic, payload, crashes FROM poison").compactMap { row in
                try? Quarantine.PoisonCandidate(
                    topic: row.stored("topic"), payload: row.bytes("payload"), crashes: row.stored("crashes"))
            }
        }
    }

    /// Removes a message from the list of those on which the process has crashed.
    func removePoisonCandidate(_ candidate: Quarantine.PoisonCandidate) throws {
        try database.overwriting { database in
            try database.execute(
                sql: "DELETE FROM poison WHERE topic = ? AND payload = ?", arguments: [candidate.topic, Data(candidate.payload)])
        }
    }
}

/// A file that should hold states is no database any more.
struct DamagedStore: Error, CustomStringConvertible {
    /// What SQLite says of it.
    let description: String
}
