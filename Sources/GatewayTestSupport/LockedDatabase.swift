import GRDB

/// A database that is locked for others: their writes fail, as when the disk is full.
package final class LockedDatabase: Sendable {
    private let database: DatabaseQueue

    /// Waits for its turn, then holds the database at `path`.
    package init(path: String) throws {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        configuration.busyMode = .timeout(10)
        database = try DatabaseQueue(path: path, configuration: configuration)
        try database.inDatabase { try $0.execute(sql: "BEGIN IMMEDIATE") }
    }

    /// Ends the lock.
    package func release() throws { try database.inDatabase { try $0.execute(sql: "COMMIT") } }
}
