import GRDB

/// A database that nobody else can write to: what others try fails, as it does when the disk is full.
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

    /// Lets others write again.
    package func release() throws { try database.inDatabase { try $0.execute(sql: "COMMIT") } }
}
