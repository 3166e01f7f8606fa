internal import Foundation
internal import GRDB

/// What a state directory holds of a device.
package enum StoredRows {
    /// The rows of `device` in all tables of all lanes' files.
    package static func count(of device: String, in directory: String) throws -> Int {
        let files = try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasSuffix(".sqlite") }
        return try files.reduce(0) { sum, file in
            var configuration = Configuration()
            configuration.readonly = true
            configuration.busyMode = .timeout(5)
            let database = try DatabaseQueue(path: "\(directory)/\(file)", configuration: configuration)
            return sum
                + (try database.read { database in
                    try ["state", "part", "waiting", "history", "events", "removed"].reduce(0) { sum, table in
                        guard try database.tableExists(table) else { return sum }
                        let sql = "SELECT count(*) FROM \(table) WHERE device = ?"
                        return sum + (try Int.fetchOne(database, sql: sql, arguments: [device]) ?? 0)
                    }
                })
        }
    }
}
