import Foundation
import GRDB
import GatewayConfiguration
import GatewayPipeline
import StateCoding
import TelemetryModel

/// A file with everything that a state directory stores of some devices, to be added to another directory: one SQLite database.
///
/// `export` has one row, `lane` one for each lane of the directory. The other tables have the columns of the lanes' files after that of the
/// lane; `part` has all parts of a state, whatever row they share in a lane's file. `letters` is of no lane: what the broker refuses.
struct StateFile {
    /// What is said once of the whole file.
    struct Header: Sendable, Equatable {
        /// The layout that this build writes and reads.
        static let format = 1

        /// A random number that tells one export from others.
        var id: String
        /// The gateway that the states are of.
        var gateway: String
        /// The highest epoch under which that gateway has published; 0 for none.
        var epoch: Int
        /// The run of the operating system that the monotonic clock of the states belongs to.
        var machine: String
        /// When the file was written.
        var saved: GatewayTime
    }

    /// The tables of a lane's file that hold more than states, and their columns after the device.
    static let otherTables = [
        (name: "history", columns: ["day", "minute", "count", "first", "last", "bytes", "data"]),
        (name: "events", columns: ["at", "id", "kind", "payload"]), (name: "removed", columns: ["at"]),
        (name: "debt", columns: ["kind", "message"]),
    ]

    let path: String
    private let source: Source

    /// The file, as it was opened.
    private enum Source {
        case read(ForeignDatabase)
        case written(DatabaseQueue)
    }

    private static let exportColumns = ["format", "build", "id", "gateway", "epoch", "machine", "monotonic", "unix"]
    /// The tables beside `export` that have columns of their own.
    private static let ownTables = [
        (name: "lane", columns: ["name", "streams"]), (name: "part", columns: ["lane", "device", "name", "version", "bytes"]),
        (name: "waiting", columns: ["lane", "device", "number", "bytes"]),
        (name: "letters", columns: ["number", "device", "message"]),
    ]

    /// Opens an export, which is read for `seconds` at most; nil is a time for its size. Throws where the file is none, or one of another
    /// format.
    init(reading path: String, seconds: Double? = nil) throws(GatewayError) {
        self.path = path
        do {
            let file = try ForeignDatabase(path, seconds: seconds)
            source = .read(file)
            let present = try file.tables()
            guard present.contains("export") else { throw NoExport() }
            try file.require(Self.exportColumns, of: "export")
            let (format, build) = try file.read { database in
                guard let row = try Row.fetchOne(database, sql: "SELECT format, build FROM export") else { throw NoExport() }
                return (try row.value("format") as Int, try row.value("build") as String)
            }
            guard format == Header.format else {
                throw GatewayError(
                    "\(path) has format \(format), written by fathom \(build.prefix(64)); this build, \(GatewayVersion.current), reads "
                        + "format \(Header.format)")
            }
            for table in Self.ownTables + Self.otherTables.map({ ($0.name, ["lane", "device"] + $0.columns) }) {
                guard present.contains(table.name) else { throw NoExport() }
                try file.require(table.columns, of: table.name)
            }
        } catch let error as GatewayError {
            throw error
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CANTOPEN {
            throw GatewayError("\(path): \(error.message ?? "cannot be opened")")
        } catch {
            throw GatewayError("\(path) is no file of 'fathom state export'")
        }
    }

    private struct NoExport: Error {}

    /// Makes the tables in the new file at `path`, with `header`.
    init(writing path: String, _ header: Header) throws {
        self.path = path
        let database = try DatabaseQueue(path: path)
        source = .written(database)
        try database.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE export (format INTEGER NOT NULL, build TEXT NOT NULL, id TEXT NOT NULL, gateway TEXT NOT NULL,
                        epoch INTEGER NOT NULL, machine TEXT NOT NULL, monotonic DOUBLE NOT NULL, unix DOUBLE NOT NULL);
                    CREATE TABLE lane (name TEXT NOT NULL PRIMARY KEY, streams TEXT NOT NULL);
                    CREATE TABLE part (lane TEXT NOT NULL, device TEXT NOT NULL, name TEXT NOT NULL, version INTEGER NOT NULL,
                        bytes BLOB NOT NULL, PRIMARY KEY (lane, device, name)) WITHOUT ROWID;
                    CREATE TABLE waiting (lane TEXT NOT NULL, device TEXT NOT NULL, number INTEGER NOT NULL, bytes BLOB NOT NULL,
                        PRIMARY KEY (lane, device, number)) WITHOUT ROWID;
                    CREATE TABLE letters (number INTEGER PRIMARY KEY, device TEXT NOT NULL, message BLOB NOT NULL);
                    """)
            for table in Self.otherTables {
                let columns = (["lane", "device"] + table.columns).joined(separator: ", ")
                try database.execute(sql: "CREATE TABLE \(table.name) (\(columns))")
                try database.execute(sql: "CREATE INDEX \(table.name)Device ON \(table.name) (lane, device)")
            }
            try database.execute(
                sql: "INSERT INTO export VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                arguments: [
                    Header.format, GatewayVersion.current, header.id, header.gateway, header.epoch, header.machine,
                    header.saved.monotonic, header.saved.unix.seconds,
                ])
        }
    }

    // MARK: Writing

    private func write(_ body: (Database) throws -> Void) throws {
        guard case .written(let database) = source else { throw GatewayError("\(path) is read") }
        try database.write(body)
    }

    /// Adds everything that `store` has of `devices`; the states themselves are in `states`.
    func add(
        _ states: [RestoredState], and devices: Set<DeviceID>, of store: CheckpointStore, _ lane: GatewayConfiguration.Lanes.Name
    ) throws {
        try write { file in
            try file.execute(
                sql: "INSERT INTO lane VALUES (?, ?)",
                arguments: [lane.rawValue, Self.streams(of: lane)])
            for state in states {
                let (change, device) = (try state.wholeChange(), state.device.rawValue)
                for part in change.parts {
                    try file.cachedStatement(sql: "INSERT INTO part VALUES (?, ?, ?, ?, ?)")
                        .execute(arguments: [lane.rawValue, device, part.name, part.version, Data(part.bytes)])
                }
                for row in change.waiting {
                    try file.cachedStatement(sql: "INSERT INTO waiting VALUES (?, ?, ?, ?)")
                        .execute(arguments: [lane.rawValue, device, Int64(bitPattern: row.number), Data(row.bytes)])
                }
            }
            try store.database.read { source in
                for device in devices.sorted() {
                    for table in Self.otherTables {
                        try Self.copy(
                            table.name, ["device"] + table.columns, where: "device = ?", [device.rawValue], from: source,
                            to: file, adding: ["lane": lane.rawValue], by: forEachRow)
                    }
                }
            }
        }
    }

    /// Adds what the broker refuses of the devices that `isChosen` names, on topics under `root`.
    func add(_ letters: OutboundLetters, root: String, where isChosen: (DeviceID) -> Bool) throws {
        try write { file in
            try letters.forEachExported(root: root) { letter in
                guard isChosen(letter.device) else { return }
                try file.cachedStatement(sql: "INSERT INTO letters (device, message) VALUES (?, ?)")
                    .execute(arguments: [letter.device.rawValue, Data(StateCoder.encode(letter))])
            }
        }
    }

    /// Copies rows of one table from one file to another, with more columns.
    private static func copy(
        _ table: String, _ columns: [String], where condition: String, _ arguments: StatementArguments, from source: Database,
        to target: Database, adding added: [String: String] = [:],
        by forEachRow: (Database, String, StatementArguments, (Row) throws -> Void) throws -> Void
    ) throws {
        let names = Array(added.keys) + columns
        let marks = Array(repeating: "?", count: names.count).joined(separator: ", ")
        let insert = try target.cachedStatement(sql: "INSERT INTO \(table) (\(names.joined(separator: ", "))) VALUES (\(marks))")
        // What is owed is published in the order in which it was added.
        let order = table == "debt" ? " ORDER BY rowid" : ""
        try forEachRow(
            source, "SELECT \(columns.joined(separator: ", ")) FROM \(table) WHERE \(condition)\(order)", arguments
        ) { row in
            let values = added.values.map(\.databaseValue) + columns.map { row[$0] as DatabaseValue }
            try insert.execute(arguments: StatementArguments(values))
        }
    }

    // MARK: Reading

    private func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        switch source {
        case .read(let file): try file.read(body)
        case .written(let database): try database.read(body)
        }
    }

    private func forEachRow(
        _ database: Database, _ sql: String, _ arguments: StatementArguments = [], _ body: (Row) throws -> Void
    ) throws {
        switch source {
        case .read(let file): try file.forEachRow(database, sql, arguments, body)
        case .written:
            let rows = try Row.fetchCursor(database, sql: sql, arguments: arguments)
            while let row = try rows.next() { try body(row) }
        }
    }

    /// What the file says of itself.
    func header() throws -> Header {
        try read { database in
            guard let row = try Row.fetchOne(database, sql: "SELECT * FROM export") else { throw NoExport() }
            let epoch: Int = try row.value("epoch")
            guard Claim.epochs.contains(epoch) else { throw GatewayError("\(path): the epoch \(epoch) is damaged") }
            let saved = GatewayTime(unix: UnixTime(try row.value("unix")), monotonic: try row.value("monotonic"))
            guard saved.isPossible else { throw GatewayError("\(path): the time at which it was written is impossible") }
            return Header(
                id: try row.value("id"), gateway: try row.value("gateway"), epoch: epoch, machine: try row.value("machine"),
                saved: saved)
        }
    }

    private static func streams(of lane: GatewayConfiguration.Lanes.Name) -> String {
        lane.streams.map(\.rawValue).sorted().joined(separator: " ")
    }

    /// The lanes. Throws where one has other streams than in this build.
    func lanes() throws -> Set<GatewayConfiguration.Lanes.Name> {
        try read { database in
            var lanes: Set<GatewayConfiguration.Lanes.Name> = []
            try forEachRow(database, "SELECT name, streams FROM lane") { row in
                let (name, streams): (String, String) = (try row.value("name"), try row.value("streams"))
                guard let lane = GatewayConfiguration.Lanes.Name(rawValue: name) else {
                    throw GatewayError("\(path): there is no lane \(name) in this build")
                }
                guard streams == Self.streams(of: lane) else {
                    throw GatewayError("\(path): the lane \(name) has other streams than in this build")
                }
                lanes.insert(lane)
            }
            return lanes
        }
    }

    /// The devices of which the file has anything.
    func devices() throws -> Set<DeviceID> {
        let tables = ["part", "waiting", "letters"] + Self.otherTables.map(\.name)
        return try read { database in
            let sql = tables.map { "SELECT device FROM \($0)" }.joined(separator: " UNION ")
            var devices: Set<DeviceID> = []
            try forEachRow(database, sql) { row in
                if let device = String.fromDatabaseValue(row["device"]).flatMap({ DeviceID($0) }) { devices.insert(device) }
            }
            return devices
        }
    }

    /// What one lane has stored of a device; nil where it has no state.
    func state(of device: DeviceID, in lane: GatewayConfiguration.Lanes.Name) throws -> StoredState? {
        try read { database in
            let arguments: StatementArguments = [lane.rawValue, device.rawValue]
            var stored = StoredState(device: device)
            let parts = "SELECT name, version, bytes FROM part WHERE lane = ? AND device = ?"
            try forEachRow(database, parts, arguments) { row in
                let name: String = try row.value("name")
                stored.parts[name] = StatePart(
                    name: name, version: try row.value("version"), bytes: Array(try row.value("bytes") as Data))
            }
            let waiting = "SELECT number, bytes FROM waiting WHERE lane = ? AND device = ? ORDER BY number"
            try forEachRow(database, waiting, arguments) { row in
                stored.waiting.append(
                    .init(
                        number: try row.number("number"),
                        bytes: Array(try row.value("bytes") as Data)))
            }
            return stored.parts.isEmpty && stored.waiting.isEmpty ? nil : stored
        }
    }

    /// What the broker refuses, in order. Throws where one is damaged, or may not be published.
    func letters() throws -> [ExportedLetter] {
        try read { database in
            var letters: [ExportedLetter] = []
            try forEachRow(database, "SELECT device, message FROM letters ORDER BY number") { row in
                let (device, message): (String, Data) = (try row.value("device"), try row.value("message"))
                guard let letter = try? StateCoder.decode(ExportedLetter.self, from: Array(message)),
                    letter.device.rawValue == device, letter.isPossible
                else { throw GatewayError("\(path): a message of \(device) that the broker refused is damaged") }
                letters.append(letter)
            }
            return letters
        }
    }

    /// Throws where a row beside the states has a value that a lane's file cannot hold, or is there twice: the file may come from
    /// anywhere.
    func requireReadable() throws {
        try read { source in
            for table in Self.otherTables {
                for column in table.columns {
                    let isPossible =
                        switch column {
                        case "data", "payload", "message": "typeof(\(column)) = 'blob'"
                        case "id", "kind": "typeof(\(column)) = 'text'"
                        case "first", "last", "at": "typeof(\(column)) IN ('real', 'integer') AND abs(\(column)) < 1e15"
                        default: "typeof(\(column)) = 'integer' AND abs(\(column)) < 1e15"
                        }
                    let found = try DatabaseValue.fetchOne(
                        source, sql: "SELECT device FROM \(table.name) WHERE NOT (\(isPossible)) LIMIT 1")
                    if let found {
                        let device = String.fromDatabaseValue(found) ?? "a device"
                        throw GatewayError("\(path): \(table.name) of \(device) has an impossible \(column)")
                    }
                }
            }
            for (table, key) in [("history", "minute"), ("events", "at, id"), ("removed", "device")] {
                let found = try DatabaseValue.fetchOne(
                    source, sql: "SELECT device FROM \(table) GROUP BY lane, device, \(key) HAVING count(*) > 1 LIMIT 1")
                if let found {
                    let device = String.fromDatabaseValue(found) ?? "a device"
                    throw GatewayError("\(path): \(table) of \(device) has a row twice: it is damaged")
                }
            }
            try forEachRow(source, "SELECT device, message FROM debt") { row in
                let device = String.fromDatabaseValue(row["device"]) ?? ""
                guard let message = try? StateCoder.decode(OwedMessage.self, from: Array(row["message"] as Data)),
                    message.device.rawValue == device
                else { throw GatewayError("\(path): a message of \(device) to be published is damaged") }
            }
        }
    }

    /// Copies the rows that one lane has of `device` beside its state to that lane's file.
    func copyOthers(of device: DeviceID, in lane: GatewayConfiguration.Lanes.Name, to target: Database) throws {
        try read { source in
            for table in Self.otherTables {
                try Self.copy(
                    table.name, ["device"] + table.columns, where: "lane = ? AND device = ?", [lane.rawValue, device.rawValue],
                    from: source, to: target, by: forEachRow)
            }
        }
    }

    /// How much there is in the file.
    func counts() throws -> StateCounts {
        let devices = try devices().count
        return try read { database in
            func count(_ table: String) throws -> Int { try Int.fetchOne(database, sql: "SELECT sum(1) FROM \(table)") ?? 0 }
            return StateCounts(
                devices: devices, waiting: try count("waiting"), minutes: try count("history"), events: try count("events"),
                owed: try count("debt"), refused: try count("letters"))
        }
    }
}

extension Row {
    /// The value of a column. Throws where the column is missing or has a value of another kind: the file may come from anywhere.
    fileprivate func value<Value: DatabaseValueConvertible>(_ column: String) throws -> Value {
        try decode(Value.self, forColumn: column)
    }
}

/// How much an export or an import has moved.
package struct StateCounts: Sendable, Equatable, CustomStringConvertible {
    /// Devices of which anything is stored.
    package var devices: Int
    /// Frames that wait for earlier ones.
    package var waiting: Int
    /// Minutes of recorded acceleration.
    package var minutes: Int
    /// Messages that are kept for the query `events`.
    package var events: Int
    /// Messages that a replay has led to and the broker has not accepted.
    package var owed = 0
    /// Messages that the broker refuses, kept until it accepts them.
    package var refused = 0

    /// One line for a terminal.
    package var description: String {
        "\(devices) devices: \(waiting) waiting frames, \(minutes) minutes of recorded acceleration, \(events) stored events"
            + (owed > 0 ? ", \(owed) messages to be published" : "")
            + (refused > 0 ? ", \(refused) messages that the broker refuses" : "")
    }
}
