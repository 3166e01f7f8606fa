import Foundation
import GRDB
import GatewayConfiguration
import GatewayPipeline
import Glibc
import StateCoding
import TelemetryModel

/// A file with everything that a state directory stores of some devices, to be added to another directory: one SQLite database.
///
/// `export` has one row, `lane` one for each lane of the directory. The other tables have the columns of the lanes' files after that of the
/// lane; `part` has all parts of a state, whatever row they share in a lane's file. `letters` is of no lane: what the broker refuses.
struct StateFile {
    /// What is said once of the whole file.
    struct Header: Sendable, Equatable {
        /// The layout that this build writes: the second has messages that are not published yet, owed or refused.
        static let format = 2
        /// The layouts that it reads.
        static let formats = 1...2

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

    let database: DatabaseQueue
    let path: String
    /// Those of `otherTables` that the file has.
    private let tables: [(name: String, columns: [String])]
    /// Whether the file has what the broker refuses.
    private let hasLetters: Bool

    /// Opens an export. Throws where the file is none, or one of another format.
    init(reading path: String) throws(GatewayError) {
        self.path = path
        do {
            database = try DatabaseQueue.readOnly(path)
            let (format, build) = try database.read { database in
                guard let row = try Row.fetchOne(database, sql: "SELECT format, build FROM export") else { throw NoExport() }
                return (try row.value("format") as Int, try row.value("build") as String)
            }
            guard Header.formats.contains(format) else {
                throw GatewayError(
                    "\(path) has format \(format), written by fathom \(build); this build, \(Gateway.version), reads format "
                        + "\(Header.format)")
            }
            tables = Self.otherTables.filter { format > 1 || $0.name != "debt" }
            hasLetters = try database.read { try $0.tableExists("letters") }
        } catch let error as GatewayError {
            throw error
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CANTOPEN {
            throw GatewayError("\(path): \(error.message ?? "cannot be opened")")
        } catch {
            throw GatewayError("\(path) is no file of 'fathom state export'")
        }
    }

    private struct NoExport: Error {}

    /// Makes a file at `path`, readable for its owner only, with the tables and `header`.
    init(writing path: String, _ header: Header) throws {
        self.path = path
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw GatewayError.system(path) }
        close(file)
        database = try DatabaseQueue(path: path)
        tables = Self.otherTables
        hasLetters = true
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
                    Header.format, Gateway.version, header.id, header.gateway, header.epoch, header.machine,
                    header.saved.monotonic, header.saved.unix.seconds,
                ])
        }
    }

    // MARK: Writing

    /// Adds everything that `store` has of `devices`; the states themselves are in `states`.
    func add(
        _ states: [RestoredState], and devices: Set<DeviceID>, of store: CheckpointStore, _ lane: GatewayConfiguration.Lanes.Name,
        streams: Set<StreamName>
    ) throws {
        try database.write { file in
            try file.execute(
                sql: "INSERT INTO lane VALUES (?, ?)",
                arguments: [lane.rawValue, streams.map(\.rawValue).sorted().joined(separator: " ")])
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
                            to: file,
                            adding: ["lane": lane.rawValue])
                    }
                }
            }
        }
    }

    /// Adds what the broker refuses of the devices that `isChosen` names, on topics under `root`.
    func add(_ letters: OutboundLetters, root: String, where isChosen: (DeviceID) -> Bool) throws {
        try database.write { file in
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
        to target: Database, adding added: [String: String] = [:]
    ) throws {
        let names = Array(added.keys) + columns
        let marks = Array(repeating: "?", count: names.count).joined(separator: ", ")
        let insert = try target.cachedStatement(sql: "INSERT INTO \(table) (\(names.joined(separator: ", "))) VALUES (\(marks))")
        // What is owed is published in the order in which it was added.
        let order = table == "debt" ? " ORDER BY rowid" : ""
        let rows = try Row.fetchCursor(
            source, sql: "SELECT \(columns.joined(separator: ", ")) FROM \(table) WHERE \(condition)\(order)",
            arguments: arguments)
        while let row = try rows.next() {
            let values = added.values.map(\.databaseValue) + columns.map { row[$0] as DatabaseValue }
            try insert.execute(arguments: StatementArguments(values))
        }
    }

    // MARK: Reading

    /// What the file says of itself.
    func header() throws -> Header {
        try database.read { database in
            guard let row = try Row.fetchOne(database, sql: "SELECT * FROM export") else { throw NoExport() }
            let epoch: Int = try row.value("epoch")
            guard Claim.epochs.contains(epoch) else { throw GatewayError("\(path): the epoch \(epoch) is damaged") }
            return Header(
                id: try row.value("id"), gateway: try row.value("gateway"), epoch: epoch, machine: try row.value("machine"),
                saved: GatewayTime(unix: UnixTime(try row.value("unix")), monotonic: try row.value("monotonic")))
        }
    }

    /// The lanes, and the streams whose states each has.
    func lanes() throws -> [GatewayConfiguration.Lanes.Name: Set<StreamName>] {
        try database.read { database in
            var lanes: [GatewayConfiguration.Lanes.Name: Set<StreamName>] = [:]
            for row in try Row.fetchAll(database, sql: "SELECT * FROM lane") {
                let (name, streams): (String, String) = (try row.value("name"), try row.value("streams"))
                guard let lane = GatewayConfiguration.Lanes.Name(rawValue: name) else {
                    throw GatewayError("\(path): there is no lane \(name) in this build")
                }
                lanes[lane] = Set(streams.split(separator: " ").compactMap { StreamName(rawValue: String($0)) })
            }
            return lanes
        }
    }

    /// The devices of which the file has anything.
    func devices() throws -> Set<DeviceID> {
        let tables = ["part", "waiting"] + tables.map(\.name) + (hasLetters ? ["letters"] : [])
        return try database.read { database in
            let sql = tables.map { "SELECT device FROM \($0)" }.joined(separator: " UNION ")
            return Set(try String.fetchAll(database, sql: sql).compactMap { DeviceID($0) })
        }
    }

    /// What one lane has stored of a device; nil where it has no state.
    func state(of device: DeviceID, in lane: GatewayConfiguration.Lanes.Name) throws -> StoredState? {
        try database.read { database in
            let arguments: StatementArguments = [lane.rawValue, device.rawValue]
            var stored = StoredState(device: device)
            let parts = "SELECT * FROM part WHERE lane = ? AND device = ?"
            for row in try Row.fetchAll(database, sql: parts, arguments: arguments) {
                let name: String = try row.value("name")
                stored.parts[name] = StatePart(
                    name: name, version: try row.value("version"), bytes: Array(try row.value("bytes") as Data))
            }
            let waiting = "SELECT * FROM waiting WHERE lane = ? AND device = ? ORDER BY number"
            for row in try Row.fetchAll(database, sql: waiting, arguments: arguments) {
                stored.waiting.append(
                    .init(
                        number: UInt64(bitPattern: try row.value("number") as Int64),
                        bytes: Array(try row.value("bytes") as Data)))
            }
            return stored.parts.isEmpty && stored.waiting.isEmpty ? nil : stored
        }
    }

    /// What the broker refuses, in order. Throws where one is damaged, or may not be published.
    func letters() throws -> [ExportedLetter] {
        guard hasLetters else { return [] }
        return try database.read { database in
            try Row.fetchAll(database, sql: "SELECT device, message FROM letters ORDER BY number").map { row in
                let (device, message): (String, Data) = (try row.value("device"), try row.value("message"))
                guard let letter = try? StateCoder.decode(ExportedLetter.self, from: Array(message)),
                    letter.device.rawValue == device, letter.isPossible
                else { throw GatewayError("\(path): a message of \(device) that the broker refused is damaged") }
                return letter
            }
        }
    }

    /// Throws where a row beside the states has a value that a lane's file cannot hold: the file may come from anywhere.
    func requireReadable() throws {
        try database.read { source in
            for table in tables {
                for column in table.columns {
                    let isPossible =
                        switch column {
                        case "data", "payload", "message": "typeof(\(column)) = 'blob'"
                        case "id", "kind": "typeof(\(column)) = 'text'"
                        case "first", "last", "at": "typeof(\(column)) IN ('real', 'integer') AND abs(\(column)) < 1e15"
                        default: "typeof(\(column)) = 'integer' AND abs(\(column)) < 1e15"
                        }
                    let device = try String.fetchOne(source, sql: "SELECT device FROM \(table.name) WHERE NOT (\(isPossible))")
                    if let device { throw GatewayError("\(path): \(table.name) of \(device) has an impossible \(column)") }
                }
            }
            guard tables.contains(where: { $0.name == "debt" }) else { return }
            let owed = try Row.fetchCursor(source, sql: "SELECT device, message FROM debt")
            while let row = try owed.next() {
                guard let message = try? StateCoder.decode(OwedMessage.self, from: Array(row["message"] as Data)),
                    message.device.rawValue == row["device"]
                else { throw GatewayError("\(path): a message of \(row["device"] as String) to be published is damaged") }
            }
        }
    }

    /// Copies the rows that one lane has of `device` beside its state to that lane's file.
    func copyOthers(of device: DeviceID, in lane: GatewayConfiguration.Lanes.Name, to target: Database) throws {
        try database.read { source in
            for table in tables {
                try Self.copy(
                    table.name, ["device"] + table.columns, where: "lane = ? AND device = ?", [lane.rawValue, device.rawValue],
                    from: source, to: target)
            }
        }
    }

    /// How much there is in the file.
    func counts() throws -> StateCounts {
        let devices = try devices().count
        return try database.read { database in
            func count(_ table: String) throws -> Int { try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table)") ?? 0 }
            return StateCounts(
                devices: devices, waiting: try count("waiting"), minutes: try count("history"), events: try count("events"),
                owed: tables.contains { $0.name == "debt" } ? try count("debt") : 0,
                refused: hasLetters ? try count("letters") : 0)
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
