import Foundation
import GRDB
import GatewayPipeline
import Logging
import Mosquitto

/// The outbound dead letters, a row each, and the topics whose newest state is not published: `{stateDirectory}/outbound.sqlite`, or
/// memory.
///
/// A letter is written before the frame that it was derived from is acknowledged. A state is not stored, as it is made again from the
/// device's stored state; an empty one, which removes a retained message, is: there is nothing to make it from.
package struct OutboundLetters: Sendable {
    /// What is stored of a topic.
    struct Summary: Equatable {
        var topic: String
        var isOfMessage: Bool
        var refusal: PublishRefusal
        var detail: String
        var count: Int
        var bytes: Int
    }

    /// The file in a state directory.
    static func file(in directory: String) -> String { "\(directory)/outbound.sqlite" }

    private let database: DatabaseQueue

    /// Opens the file at `path`, or makes it; without one the rows are kept in memory. Throws a `DatabaseError`.
    init(path: String?) throws {
        database = try .durable(path)
        try database.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS letters (
                        number INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT NOT NULL, single INTEGER NOT NULL, at REAL NOT NULL,
                        refusal TEXT NOT NULL, detail TEXT NOT NULL, retain INTEGER NOT NULL, type TEXT, text INTEGER NOT NULL,
                        id TEXT, instant TEXT, payload BLOB NOT NULL);
                    CREATE INDEX IF NOT EXISTS lettersOfTopic ON letters (topic, single, number);
                    CREATE TABLE IF NOT EXISTS states (topic TEXT PRIMARY KEY, cleared INTEGER NOT NULL) WITHOUT ROWID
                    """)
        }
    }

    /// Opens the letters of a state directory to read them, also while a gateway runs; nil where there are none.
    package init?(reading directory: String) throws {
        let path = Self.file(in: directory)
        guard TextFile.stamp(path) != nil else { return nil }
        database = try .readOnly(path)
    }

    // MARK: Writing

    /// Stores letters in order, and which topics have a state that is not published, whether it is one that clears; in one transaction.
    func add(_ letters: [OutboundLetter], states: [String: Bool]) throws {
        guard !letters.isEmpty || !states.isEmpty else { return }
        try database.write { database in
            for letter in letters {
                let message = letter.message
                try database.execute(
                    sql: """
                        INSERT INTO letters (topic, single, at, refusal, detail, retain, type, text, id, instant, payload)
                        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                        """,
                    arguments: [
                        message.topic, letter.isOfMessage, letter.at, letter.refusal.rawValue, letter.detail, message.retain,
                        message.contentType, message.isText, message.userProperties.first { $0.name == "id" }?.value,
                        message.userProperties.first { $0.name == "at" }?.value, Data(message.payload),
                    ])
            }
            for (topic, isClearing) in states {
                try database.execute(
                    sql: "INSERT OR REPLACE INTO states (topic, cleared) VALUES (?, ?)", arguments: [topic, isClearing])
            }
        }
    }

    /// Removes letters.
    func remove(_ numbers: [Int64]) throws {
        guard !numbers.isEmpty else { return }
        try database.write { database in
            for number in numbers { try database.execute(sql: "DELETE FROM letters WHERE number = ?", arguments: [number]) }
        }
    }

    /// Removes the record of a topic's state.
    func removeState(_ topic: String) throws {
        try database.write { try $0.execute(sql: "DELETE FROM states WHERE topic = ?", arguments: [topic]) }
    }

    /// Removes the letters on topics that begin with `prefix`.
    func remove(withPrefix prefix: String) throws {
        try database.write {
            try $0.execute(
                sql: "DELETE FROM letters WHERE substr(topic, 1, ?) = ?", arguments: [prefix.unicodeScalars.count, prefix])
        }
    }

    // MARK: Reading

    /// What is stored of each topic, in order of the oldest letter.
    func summaries() throws -> [Summary] {
        try database.read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT topic, single, min(number), refusal, detail, count(*) AS count, sum(length(payload)) AS bytes
                    FROM letters GROUP BY topic, single ORDER BY min(number)
                    """
            ).map { row in
                Summary(
                    topic: row["topic"], isOfMessage: row["single"], refusal: PublishRefusal(rawValue: row["refusal"]) ?? .other,
                    detail: row["detail"], count: row["count"], bytes: row["bytes"])
            }
        }
    }

    /// The topics whose newest state is not published, and whether it is one that clears.
    func states() throws -> [String: Bool] {
        try database.read { database in
            let rows = try Row.fetchAll(database, sql: "SELECT topic, cleared FROM states")
            return Dictionary(uniqueKeysWithValues: rows.map { ($0["topic"], $0["cleared"]) })
        }
    }

    /// The oldest letters of a topic.
    func first(_ count: Int, of topic: String, isOfMessage: Bool) throws -> [OutboundLetter] {
        try letters("WHERE topic = ? AND single = ? ORDER BY number LIMIT ?", [topic, isOfMessage, count])
    }

    /// How many letters of a topic there are, and their bytes.
    func size(of topic: String, isOfMessage: Bool) throws -> (count: Int, bytes: Int) {
        try database.read { database in
            let row = try Row.fetchOne(
                database, sql: "SELECT count(*), coalesce(sum(length(payload)), 0) FROM letters WHERE topic = ? AND single = ?",
                arguments: [topic, isOfMessage])
            return row.map { ($0[0], $0[1]) } ?? (0, 0)
        }
    }

    /// The topics and sizes of the oldest letters, of one topic or of all.
    func oldest(_ count: Int, of topic: String? = nil) throws -> [(number: Int64, topic: String, isOfMessage: Bool, bytes: Int)] {
        try database.read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT number, topic, single, length(payload) AS bytes FROM letters
                    WHERE ?1 IS NULL OR topic = ?1 ORDER BY number LIMIT ?2
                    """, arguments: [topic, count]
            ).map { ($0["number"], $0["topic"], $0["single"], $0["bytes"]) }
        }
    }

    /// Calls `body` with every letter, oldest first, without its payload in memory for longer than the call.
    package func forEach(_ body: (OutboundLetter) throws -> Void) throws {
        var last: Int64 = 0
        while case let letters = try letters("WHERE number > ? ORDER BY number LIMIT 100", [last]), let end = letters.last {
            for letter in letters { try body(letter) }
            last = end.number
        }
    }

    /// The letter of that number; nil where there is none.
    package func letter(_ number: Int64) throws -> OutboundLetter? { try letters("WHERE number = ?", [number]).first }

    /// How many there are.
    package func count() throws -> Int {
        try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM letters") ?? 0 }
    }

    private func letters(_ condition: String, _ arguments: StatementArguments) throws -> [OutboundLetter] {
        try database.read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM letters \(condition)", arguments: arguments).map { row in
                let payload: Data = row["payload"]
                var message = MQTTMessage(
                    topic: row["topic"], payload: Array(payload), retain: row["retain"], contentType: row["type"])
                message.isText = row["text"]
                message.userProperties = [("id", row["id"] as String?), ("at", row["instant"] as String?)].compactMap {
                    name, value in
                    value.map { .init(name: name, value: $0) }
                }
                return OutboundLetter(
                    number: row["number"], at: row["at"], refusal: PublishRefusal(rawValue: row["refusal"]) ?? .other,
                    detail: row["detail"], isOfMessage: row["single"], message: message)
            }
        }
    }
}

extension StateDirectory {
    /// The outbound dead letters. A file that cannot be read is moved aside.
    func outboundLetters() throws -> OutboundLetters {
        let file = OutboundLetters.file(in: path)
        do { return try OutboundLetters(path: file) } catch let error as DatabaseError
            where [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR].contains(error.resultCode)
        {
            moveAside(file, "the outbound dead letters are damaged: moved aside", because: error)
            return try OutboundLetters(path: file)
        }
    }
}
