import GRDB

/// How files of the state directory are opened.
extension DatabaseQueue {
    /// How long a file that another holds for a moment is waited for, in seconds: a backup, or a gateway that closes it.
    static let openingSeconds = 5.0

    /// The file at `path`, which is not changed.
    static func readOnly(_ path: String) throws -> DatabaseQueue {
        try StateFiles.requireDatabase(path)
        var configuration = Configuration()
        configuration.readonly = true
        // A gateway that closes the file locks it while it empties the log.
        configuration.busyMode = .timeout(openingSeconds)
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// The file at `path`, or a new one, of which nothing that was written is lost when the machine stops; without a path, memory.
    static func durable(_ path: String?) throws -> DatabaseQueue {
        guard let path else { return try DatabaseQueue() }
        try StateFiles.makeDatabase(path)
        var configuration = Configuration()
        configuration.busyMode = .timeout(openingSeconds)
        configuration.prepareDatabase { try $0.logAhead() }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Runs `body` in a transaction that overwrites with zeros what it deletes, and then empties the log in front of the file, unless
    /// somebody is reading it.
    func overwriting<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try writeWithoutTransaction { try $0.execute(sql: "PRAGMA secure_delete = ON") }
        defer {
            try? writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA secure_delete = OFF")
                try database.checkpoint(.truncate)
            }
        }
        return try write(body)
    }
}

extension Database {
    /// Writes to a log ahead of the file, and waits until that is on disk.
    func logAhead() throws {
        try execute(sql: "PRAGMA journal_mode = WAL")
        try execute(sql: "PRAGMA synchronous = FULL")
    }
}

extension DatabaseError {
    /// Whether the file is damaged, or is no database of ours: a statement of ours that is an error finds another schema.
    var isDamage: Bool { [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR].contains(resultCode) }
}
