import Foundation
import GRDB
package import GatewayPipeline
package import TelemetryModel

/// Of which devices a state directory holds anything, looked at without changing it.
package enum StoredDevices {
    /// Whether anything is stored of `device`: rows, messages that the broker refuses on topics below `prefix`, or a frame that was set aside
    /// on a topic that `owns` says is the device's. Throws where the directory cannot be read.
    package static func contains(
        _ device: DeviceID, inDirectory path: String, topicPrefix prefix: String, owns: (InboundMessage) -> Bool
    ) throws -> Bool {
        let files = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".sqlite") }.sorted()
        for file in files where try DatabaseQueue.readOnly("\(path)/\(file)").read({ try contains("\(device)", in: $0) }) {
            return true
        }
        if try OutboundLetters(reading: path)?.topics().contains(where: { $0.hasPrefix(prefix) }) ?? false { return true }
        let letters = DeadLetterFolder(stateDirectory: path)
        return try letters.names().contains { name in (try? letters.read(name)).map { owns($0.message) } ?? false }
    }

    private static func contains(_ device: String, in database: Database) throws -> Bool {
        let tables = try String.fetchAll(database, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
        return try tables.contains { table in
            guard try database.columns(in: table).contains(where: { $0.name == "device" }) else { return false }
            let sql = "SELECT EXISTS (SELECT 1 FROM \(table.quotedDatabaseIdentifier) WHERE device = ?)"
            return try Bool.fetchOne(database, sql: sql, arguments: [device]) ?? false
        }
    }
}
