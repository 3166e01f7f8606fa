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
        if try database.tableExists("part") {
            return try Row.fetchAll(
                database,
                sql:
                    "SELECT name, version, count(DISTINCT device) AS devices FROM part GROUP BY name, version ORDER BY name, version"
            ).compactMap { row in
                let (name, version, devices): (String, Int, Int) = (row["name"], row["version"], row["devices"])
                guard !DeviceState.reads(part: name, version: version) else { return nil }
                return "\(name) of version \(version) would be left out for \(devices) devices; it begins anew for them"
            }
        }
        guard try database.tableExists("device") else { return [] }
        return try Row.fetchAll(
            database, sql: "SELECT version, count(*) AS devices FROM device WHERE version <> ? GROUP BY version",
            arguments: [DeviceState.wholeVersion]
        ).map { row in
            let (version, devices): (String, Int) = (row["version"], row["devices"])
            return "the whole state of version \(version) would be left out for \(devices) devices"
        }
    }
}
