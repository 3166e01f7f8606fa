import Foundation
import GRDB
import Glibc
import Mosquitto
import GatewayPipeline
import TelemetryModel

/// The alarm messages that wait for a command, and what was received of each alarm: `notify.sqlite` in a folder of its own.
///
/// A message is in it before it is acknowledged to the broker, and until its command has succeeded.
struct NoticeStore: Sendable {
    private let database: DatabaseQueue
    private let lock: FolderLock
    /// The topics of which it is kept what was received; of more, those that had no message for the longest time are forgotten.
    private static let mostTopics = 20_000

    /// Opens the folder at `path`, or makes it. Throws where another process holds it, or it cannot be used.
    init(folder path: String) throws {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw GatewayError.system("notify.stateDirectory: \(path)") }
        lock = try FolderLock(path)
        database = try .durable("\(path)/notify.sqlite")
        try database.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS waiting (
                        number INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT NOT NULL, severity TEXT NOT NULL, payload BLOB NOT NULL);
                    CREATE TABLE IF NOT EXISTS seen (
                        number INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT NOT NULL UNIQUE, state TEXT NOT NULL, since TEXT NOT NULL,
                        ids TEXT NOT NULL)
                    """)
        }
    }

    /// Runs `body` in one transaction, which is on disk when this returns.
    func write<Value>(_ body: (Transaction) throws -> Value) throws -> Value {
        try database.write { try body(Transaction(database: $0)) }
    }

    /// What a transaction may change.
    struct Transaction {
        fileprivate let database: Database

        /// What was last received on a topic.
        func seen(_ topic: String) throws -> SeenAlarm? {
            let row = try Row.fetchOne(
                database, sql: "SELECT state, since, ids FROM seen WHERE topic = ?", arguments: [topic])
            guard let row, let state: String = row.ifReadable("state"), let since: String = row.ifReadable("since"),
                let ids: String = row.ifReadable("ids")
            else { return nil }
            return SeenAlarm(state: state, since: since, ids: ids.split(separator: "\n").map(String.init))
        }

        /// Replaces what was last received on a topic; nil where the alarm is no more.
        func set(_ seen: SeenAlarm?, of topic: String) throws {
            try database.execute(sql: "DELETE FROM seen WHERE topic = ?", arguments: [topic])
            guard let seen else { return }
            try database.execute(
                sql: "INSERT INTO seen (topic, state, since, ids) VALUES (?, ?, ?, ?)",
                arguments: [topic, seen.state, seen.since, seen.ids.joined(separator: "\n")])
            let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM seen") ?? 0
            guard count > NoticeStore.mostTopics else { return }
            try database.execute(
                sql: "DELETE FROM seen WHERE number IN (SELECT number FROM seen ORDER BY number LIMIT ?)",
                arguments: [count - NoticeStore.mostTopics])
        }

        /// Stores a message that waits; returns its number.
        func add(_ topic: String, _ severity: AlarmSeverity, _ payload: [UInt8]) throws -> Int64 {
            try database.execute(
                sql: "INSERT INTO waiting (topic, severity, payload) VALUES (?, ?, ?)",
                arguments: [topic, severity.rawValue, Data(payload)])
            return database.lastInsertedRowID
        }

        /// Removes a message that waits no more.
        func remove(_ number: Int64) throws {
            try database.execute(sql: "DELETE FROM waiting WHERE number = ?", arguments: [number])
        }
    }

    /// The messages that wait, in the order in which they came. A row that cannot be read is removed.
    func waiting() throws -> [NoticeQueue.Notice] {
        try database.write { database in
            let rows = try Row.fetchAll(database, sql: "SELECT number, topic, severity FROM waiting ORDER BY number")
            return try rows.compactMap { row in
                let severity = (row.ifReadable("severity") as String?).flatMap { AlarmSeverity(rawValue: $0) }
                guard let topic: String = row.ifReadable("topic"), let severity else {
                    try database.execute(
                        sql: "DELETE FROM waiting WHERE number = ?", arguments: [row["number"] as DatabaseValue])
                    return nil
                }
                return NoticeQueue.Notice(number: row["number"], topic: topic, severity: severity)
            }
        }
    }

    /// The payload of a message that waits; nil where it cannot be read.
    func payload(_ number: Int64) throws -> [UInt8]? {
        try database.read { database in
            let row = try Row.fetchOne(database, sql: "SELECT payload FROM waiting WHERE number = ?", arguments: [number])
            return (row?.ifReadable("payload") as Data?).map { Array($0) }
        }
    }
}

/// A folder that one process holds at a time.
private final class FolderLock: Sendable {
    private let file: Int32

    init(_ path: String) throws(GatewayError) {
        file = try StateFiles.open("\(path)/notify.lock", O_RDWR | O_CREAT)
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let error =
                errno == EWOULDBLOCK
                ? GatewayError(
                    "notify.stateDirectory: \(path) is in use by another fathom notify: each needs a folder and an account of its own"
                )
                : GatewayError.system("\(path)/notify.lock")
            close(file)
            throw error
        }
    }

    deinit { close(file) }
}
