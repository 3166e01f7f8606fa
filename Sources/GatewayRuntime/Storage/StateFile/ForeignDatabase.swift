import GRDB
import GRDBSQLite
import GatewayConfiguration
import Glibc

/// A SQLite file that may come from anywhere, opened to be read: a regular file, for a limited time.
///
/// A view or a trigger could make a statement of ours compute something else, without end. Pages that a damaged file uses twice give more
/// rows than it holds.
struct ForeignDatabase: Sendable {
    let path: String
    private let queue: DatabaseQueue
    /// The size of the file in bytes.
    private let size: Int
    private let deadline: ReadingDeadline

    /// What is read of a file in a second at the least, and what every file may take, in seconds.
    private static let (bytesPerSecond, leastSeconds) = (1e6, 60.0)

    /// Opens the file at `path`, which is read for `seconds` at most; nil is a time for its size. Throws where it is no regular file, or no
    /// database.
    init(_ path: String, seconds: Double? = nil) throws {
        self.path = path
        size = try Self.size(of: path)
        let deadline = ReadingDeadline(seconds: seconds ?? Self.leastSeconds + Double(size) / Self.bytesPerSecond)
        self.deadline = deadline
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(DatabaseQueue.openingSeconds)
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0")
            deadline.watch(database)
        }
        queue = try DatabaseQueue(path: path, configuration: configuration)
    }

    /// The size of a regular file. A FIFO is not waited for.
    private static func size(of path: String) throws(GatewayError) -> Int {
        let file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { throw .system(path) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .system(path) }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw GatewayError("\(path): is a folder") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw GatewayError("\(path): is no regular file") }
        return Int(status.st_size)
    }

    /// Runs `body` with the file. What SQLite finds wrong with it is a `GatewayError`.
    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        do { return try queue.read(body) } catch let error as DatabaseError {
            throw error.resultCode == .SQLITE_INTERRUPT
                ? GatewayError("\(path): cannot be read within \(Int(deadline.seconds)) s, as a damaged file")
                : GatewayError("\(path): \(error.message ?? "\(error)")")
        }
    }

    /// Calls `body` with each row that a statement gives. Throws where they are more than the file can hold.
    func forEachRow(
        _ database: Database, _ sql: String, _ arguments: StatementArguments = [], _ body: (Row) throws -> Void
    ) throws {
        var left = size
        let rows = try Row.fetchCursor(database, sql: sql, arguments: arguments)
        while let row = try rows.next() {
            left -= row.databaseValues.reduce(1) { $0 + $1.byteCount }
            guard left >= 0 else { throw GatewayError("\(path): has more rows than its size permits: it is damaged") }
            try body(row)
        }
    }

    /// The names of all tables. Throws where the file has something else than tables and indexes.
    func tables() throws -> Set<String> {
        try read { database in
            var tables: Set<String> = []
            try forEachRow(database, "SELECT type, name, sql FROM sqlite_master") { row in
                let (type, name) = (String.fromDatabaseValue(row["type"]) ?? "", String.fromDatabaseValue(row["name"]) ?? "")
                let sql = String.fromDatabaseValue(row["sql"])?.uppercased() ?? ""
                guard type == "table" || type == "index", !sql.hasPrefix("CREATE VIRTUAL") else {
                    throw GatewayError("\(path): \(name) is no table (\(type)): it is no file of 'fathom state export'")
                }
                if type == "table" { tables.insert(name) }
            }
            return tables
        }
    }

    /// Throws where a table lacks one of `columns`, or computes one.
    func require(_ columns: [String], of table: String) throws {
        try read { database in
            var present: Set<String> = []
            try forEachRow(database, "SELECT name, hidden FROM pragma_table_xinfo(?)", [table]) { row in
                let name = String.fromDatabaseValue(row["name"]) ?? ""
                guard Int.fromDatabaseValue(row["hidden"]) == 0 else {
                    throw GatewayError("\(path): \(name) of \(table) is computed: it is no file of 'fathom state export'")
                }
                present.insert(name)
            }
            if let missing = columns.first(where: { !present.contains($0) }) {
                throw GatewayError("\(path): \(table) has no column \(missing): it is no file of 'fathom state export'")
            }
        }
    }
}

extension DatabaseValue {
    fileprivate var byteCount: Int {
        switch storage {
        case .blob(let data): data.count
        case .string(let text): text.utf8.count
        case .null, .int64, .double: 0
        }
    }
}

/// Ends the statements of a connection when its time is over.
private final class ReadingDeadline: Sendable {
    let seconds: Double
    private let end: ContinuousClock.Instant
    /// After how many instructions of SQLite's virtual machine the clock is looked at.
    private static let instructions: Int32 = 1_000

    init(seconds: Double) {
        self.seconds = seconds
        end = .now + .seconds(seconds)
    }

    /// Watches a connection, which has to be closed before this value is gone.
    func watch(_ database: Database) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_progress_handler(
            database.sqliteConnection, Self.instructions,
            { context in
                guard let context else { return 0 }
                let deadline = Unmanaged<ReadingDeadline>.fromOpaque(context).takeUnretainedValue()
                return ContinuousClock.now < deadline.end ? 0 : 1
            }, context)
    }
}
