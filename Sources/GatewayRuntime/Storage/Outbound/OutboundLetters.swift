import Foundation
import GRDB
import GatewayPipeline
import Logging
import Mosquitto
import StateCoding

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

    /// A row of a letter.
    struct StoredLetter {
        var number: Int64
        /// The size of the payload.
        var bytes: Int
        /// The letter; nil where the row is damaged.
        var letter: OutboundLetter?
    }

    private let database: DatabaseQueue
    /// How many rows could not be read when the file was opened, and were removed.
    let removed: Int
    /// Whether something is lost of what was stored, so that states may be owed that are not known.
    fileprivate(set) var isIncomplete: Bool

    /// Opens the file at `path`, or makes it; without one the rows are kept in memory. Rows that cannot be read are removed.
    ///
    /// Throws `DamagedStore` where the file is no database any more, and otherwise a `DatabaseError`.
    init(path: String?) throws {
        do {
            database = try .durable(path)
            removed = try database.write { database in
                try database.execute(
                    sql: """
                        CREATE TABLE IF NOT EXISTS letters (
                            number INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT NOT NULL, single INTEGER NOT NULL, at REAL NOT NULL,
                            refusal TEXT NOT NULL, detail TEXT NOT NULL, retain INTEGER NOT NULL, type TEXT, text INTEGER NOT NULL,
                            id TEXT, instant TEXT, checksum INTEGER NOT NULL, payload BLOB NOT NULL);
                        CREATE INDEX IF NOT EXISTS lettersOfTopic ON letters (topic, single, number);
                        CREATE TABLE IF NOT EXISTS states (topic TEXT PRIMARY KEY, cleared INTEGER NOT NULL) WITHOUT ROWID
                        """)
                return try Self.removeUnreadable(from: database)
            }
            isIncomplete = removed > 0
            var problem = try Self.problem(database)
            if problem != nil {
                // An index can be made again, and a damaged table cannot be read for that.
                try database.write { try $0.execute(sql: "REINDEX") }
                problem = try Self.problem(database)
            }
            if let problem { throw DamagedStore(description: "\(path ?? "memory"): \(problem)") }
        } catch let error as DatabaseError where error.isDamage {
            throw DamagedStore(description: "\(path ?? "memory"): \(error)")
        }
    }

    /// Opens the letters of a state directory to read them, also while a gateway runs; nil where there are none.
    package init?(reading directory: String) throws {
        let path = Self.file(in: directory)
        guard TextFile.stamp(path) != nil else { return nil }
        database = try .readOnly(path)
        (removed, isIncomplete) = (0, false)
    }

    /// What SQLite finds wrong in the file; nil for nothing. Indexes are compared with their tables.
    private static func problem(_ database: DatabaseQueue) throws -> String? {
        let verdict = try database.read { try String.fetchOne($0, sql: "PRAGMA integrity_check(1)") }
        return verdict == "ok" ? nil : verdict
    }

    /// Removes rows with a value of another type than theirs, and letters with another checksum; returns how many.
    private static func removeUnreadable(from database: Database) throws -> Int {
        // Not in parts by number, as the rows of a damaged file need not be in order.
        let rows = try Row.fetchCursor(database, sql: "SELECT \(columns) FROM letters")
        var numbers: [Int64] = []
        while let row = try rows.next() { if decoded(row) == nil { numbers.append(row["number"]) } }
        for number in numbers { try database.execute(sql: "DELETE FROM letters WHERE number = ?", arguments: [number]) }
        try database.execute(sql: "DELETE FROM states WHERE typeof(topic) <> 'text' OR typeof(cleared) <> 'integer'")
        return numbers.count + database.changesCount
    }

    // MARK: Writing

    /// Stores letters in order, and which topics have a state that is not published, whether it is one that clears; in one transaction.
    func add(_ letters: [OutboundLetter], states: [String: Bool]) throws {
        guard !letters.isEmpty || !states.isEmpty else { return }
        try database.write { try Self.add(letters, states: states, to: $0) }
    }

    /// Replaces everything on topics that begin with one of `prefixes`, in one transaction.
    func replace(_ prefixes: [String], by letters: [OutboundLetter], states: [String: Bool]) throws {
        try database.write { database in
            for prefix in prefixes {
                for table in ["letters", "states"] {
                    try database.execute(
                        sql: "DELETE FROM \(table) WHERE \(Self.hasPrefix)", arguments: Self.arguments(prefix))
                }
            }
            try Self.add(letters, states: states, to: database)
        }
    }

    private static func add(_ letters: [OutboundLetter], states: [String: Bool], to database: Database) throws {
        for letter in letters {
            let message = letter.message
            try database.execute(
                sql: """
                    INSERT INTO letters (topic, single, at, refusal, detail, retain, type, text, id, instant, checksum, payload)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    message.topic, letter.isOfMessage, letter.at, letter.refusal.rawValue, letter.detail, message.retain,
                    message.contentType, message.isText, message.property("id"), message.property("at"), letter.checksum,
                    Data(message.payload),
                ])
        }
        for (topic, isClearing) in states {
            try database.execute(
                sql: "INSERT OR REPLACE INTO states (topic, cleared) VALUES (?, ?)", arguments: [topic, isClearing])
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

    /// Removes the letters on topics that begin with `prefix`, but for those that clear a retained message.
    func remove(withPrefix prefix: String) throws {
        try database.overwriting {
            try $0.execute(
                sql: "DELETE FROM letters WHERE \(Self.hasPrefix) AND NOT (\(Self.isClearing))", arguments: Self.arguments(prefix)
            )
        }
    }

    private static let hasPrefix = "substr(topic, 1, ?) = ?"
    private static func arguments(_ prefix: String) -> StatementArguments { [prefix.unicodeScalars.count, prefix] }
    /// The letters that clear a retained message.
    private static let isClearing = "retain AND length(payload) = 0"

    // MARK: Reading

    /// The topics that begin with `prefix` on which a retained message is not cleared yet, as the broker refuses it; in order.
    package func clearing(prefix: String) throws -> [String] {
        try database.read { database in
            let sql = """
                SELECT topic FROM letters WHERE \(Self.hasPrefix) AND \(Self.isClearing)
                UNION SELECT topic FROM states WHERE \(Self.hasPrefix) AND cleared ORDER BY topic
                """
            return try Row.fetchAll(database, sql: sql, arguments: Self.arguments(prefix) + Self.arguments(prefix))
                .compactMap { String.fromDatabaseValue($0["topic"]) }
        }
    }

    /// What is stored of each topic, in order of the oldest letter.
    func summaries() throws -> [Summary] {
        try database.read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT topic, single, min(number), refusal, detail, count(*) AS count,
                        coalesce(sum(length(payload)), 0) AS bytes
                    FROM letters GROUP BY topic, single ORDER BY min(number)
                    """
            ).compactMap { row -> Summary? in
                guard let topic: String = row.ifReadable("topic"), let isOfMessage: Bool = row.ifReadable("single") else {
                    return nil
                }
                return Summary(
                    topic: topic, isOfMessage: isOfMessage,
                    refusal: (row.ifReadable("refusal") as String?).flatMap { PublishRefusal(rawValue: $0) } ?? .other,
                    detail: row.ifReadable("detail") ?? "", count: row["count"], bytes: row["bytes"])
            }
        }
    }

    /// The topics whose newest state is not published, and whether it is one that clears.
    func states() throws -> [String: Bool] {
        try database.read { database in
            var states: [String: Bool] = [:]
            for row in try Row.fetchAll(database, sql: "SELECT topic, cleared FROM states") {
                if let topic: String = row.ifReadable("topic") { states[topic] = row.ifReadable("cleared") }
            }
            return states
        }
    }

    /// The oldest letters of a topic.
    func first(_ count: Int, of topic: String, isOfMessage: Bool) throws -> [StoredLetter] {
        try letters("WHERE topic = ? AND single = ? ORDER BY number LIMIT ?", [topic, isOfMessage, count])
    }

    /// The topics of which anything is stored.
    func topics() throws -> Set<String> {
        try database.read { database in
            let rows = try Row.fetchAll(database, sql: "SELECT topic FROM letters UNION SELECT topic FROM states")
            return Set(rows.compactMap { String.fromDatabaseValue($0["topic"]) })
        }
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
                    SELECT number, topic, single, coalesce(length(payload), 0) AS bytes FROM letters
                    WHERE ?1 IS NULL OR topic = ?1 ORDER BY number LIMIT ?2
                    """, arguments: [topic, count]
            ).compactMap { row -> (number: Int64, topic: String, isOfMessage: Bool, bytes: Int)? in
                guard let topic: String = row.ifReadable("topic"), let isOfMessage: Bool = row.ifReadable("single") else {
                    return nil
                }
                return (row["number"], topic, isOfMessage, row["bytes"])
            }
        }
    }

    /// Calls `body` with the number of every letter and the letter, nil where it is damaged; oldest first, with few payloads in memory.
    package func forEach(_ body: (_ number: Int64, _ letter: OutboundLetter?) throws -> Void) throws {
        var last: Int64 = 0
        // The rows of a damaged file need not be in order.
        while case let letters = try letters("WHERE number > ? ORDER BY number LIMIT 100", [last]),
            let end = letters.map(\.number).max(), end > last
        {
            for letter in letters { try body(letter.number, letter.letter) }
            last = end
        }
    }

    /// The letter of that number; nil where there is none. Throws where it is damaged.
    package func letter(_ number: Int64) throws -> OutboundLetter? {
        guard let stored = try letters("WHERE number = ?", [number]).first else { return nil }
        guard let letter = stored.letter else { throw GatewayError("out-\(number) is damaged") }
        return letter
    }

    /// How many there are.
    package func count() throws -> Int {
        try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM letters") ?? 0 }
    }

    /// The columns of a letter.
    private static let columns =
        "number, topic, single, at, refusal, detail, retain, type, text, id, instant, checksum, payload"

    private func letters(_ condition: String, _ arguments: StatementArguments) throws -> [StoredLetter] {
        try database.read { database in
            try Row.fetchAll(
                database, sql: "SELECT \(Self.columns), coalesce(length(payload), 0) AS bytes FROM letters \(condition)",
                arguments: arguments
            ).map { StoredLetter(number: $0["number"], bytes: $0["bytes"], letter: Self.decoded($0)) }
        }
    }

    /// The letter of a row; nil where a value has another type, or the checksum is another.
    private static func decoded(_ row: Row) -> OutboundLetter? {
        // A topic that is no text is found by no query.
        guard let topic: String = row.ifReadable("topic"), (row["topic"] as DatabaseValue) == topic.databaseValue,
            let isOfMessage: Bool = row.ifReadable("single"), let at: Double = row.ifReadable("at"), at.isFinite,
            let refusal: String = row.ifReadable("refusal"), let detail: String = row.ifReadable("detail"),
            let retain: Bool = row.ifReadable("retain"), let isText: Bool = row.ifReadable("text"),
            let checksum: Int64 = row.ifReadable("checksum"), let payload: Data = row.ifReadable("payload")
        else { return nil }
        var message = MQTTMessage(topic: topic, payload: Array(payload), retain: retain, contentType: row.ifReadable("type"))
        message.isText = isText
        message.setEvent(id: row.ifReadable("id"), at: row.ifReadable("instant"))
        let letter = OutboundLetter(
            number: row["number"], at: at, refusal: PublishRefusal(rawValue: refusal) ?? .other, detail: detail,
            isOfMessage: isOfMessage, message: message)
        return letter.checksum == checksum ? letter : nil
    }
}

extension OutboundLetter {
    /// The checksum of what is published.
    fileprivate var checksum: Int64 {
        let texts = [
            message.topic, message.contentType ?? "", message.property("id") ?? "", message.property("at") ?? "",
            "\(message.retain) \(message.isText) \(isOfMessage)",
        ]
        let bytes = Array(texts.joined(separator: "\0").utf8) + message.payload
        return Int64(bitPattern: bytes.withUnsafeBytes(Checksum.of))
    }
}

extension MQTTMessage {
    /// The value of a user property; nil where it has none of that name.
    func property(_ name: String) -> String? { userProperties.first { $0.name == name }?.value }

    /// Sets the user properties of an event.
    mutating func setEvent(id: String?, at: String?) {
        userProperties = [("id", id), ("at", at)].compactMap { name, value in value.map { .init(name: name, value: $0) } }
    }
}

extension StateDirectory {
    /// Whether anything was ever refused.
    var hasOutboundLetters: Bool { TextFile.stamp(OutboundLetters.file(in: path)) != nil }

    /// The outbound dead letters. A file that cannot be read is moved aside.
    func outboundLetters() throws -> OutboundLetters {
        let file = OutboundLetters.file(in: path)
        do { return try OutboundLetters(path: file) } catch let error as DamagedStore {
            moveAside(
                file, "the outbound dead letters are damaged: moved aside, what was refused until now is not published",
                because: error)
            var letters = try OutboundLetters(path: file)
            letters.isIncomplete = true
            return letters
        }
    }
}
