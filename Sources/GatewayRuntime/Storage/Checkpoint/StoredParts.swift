import Foundation
import GRDB
import GatewayPipeline

/// What a state directory holds, looked at without changing it.
package enum StoredParts {
    /// The parts of stored states that this build would leave out, one line for each kind of part; empty where there is no state.
    package static func unreadable(inDirectory path: String) throws -> [String] {
        let files = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".sqlite") }.sorted()
        return try files.flatMap { file in
            try DatabaseQueue.readOnly("\(path)/\(file)").read { try unreadable(in: $0) }.map { "\(file): \($0)" }
        }
    }

    private static func unreadable(in database: Database) throws -> [String] {
        // Other databases are there too.
        guard try database.tableExists("part"), try database.tableExists("state") else { return [] }
        return try devicesByPart(in: database).filter { !DeviceState.reads(part: $0.key.name, version: $0.key.version) }
            .sorted { ($0.key.name, $0.key.version) < ($1.key.name, $1.key.version) }
            .map { "\($0.name) of version \($0.version) would be left out for \($1) devices; it begins anew for them" }
    }

    private struct Layout: Hashable {
        let name: String
        let version: Int
    }

    /// How many devices have each part in each version.
    private static func devicesByPart(in database: Database) throws -> [Layout: Int] {
        var devices: [Layout: Int] = [:]
        for row in try Row.fetchAll(database, sql: "SELECT name, version, count(*) AS devices FROM part GROUP BY name, version") {
            // One that cannot be read is set aside by the start.
            guard let layout = try? Layout(name: row.stored("name"), version: row.stored("version")) else { continue }
            devices[layout] = try row.stored("devices")
        }
        let rows = try Row.fetchCursor(database, sql: "SELECT parts FROM state")
        while let row = try rows.next() {
            for part in StateRow.parts(of: row.remains("parts")).parts {
                devices[Layout(name: part.name, version: part.version), default: 0] += 1
            }
        }
        return devices
    }
}
