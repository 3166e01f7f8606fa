import GRDB
import GatewayPipeline
import StateCoding
import TelemetryModel

/// A lane's file of which a bucket has the states.
extension CheckpointStore {
    /// Replaces all states and what is owed, in one transaction. Histories exist nowhere else and stay, but for those that may have
    /// been erased elsewhere: what is `erased`, and all of devices whose state was here and is not in the bucket any more.
    func replaceStates(by states: [RestoredState], erased: ErasureMarks.Erased) throws {
        let count = try database.overwriting { database in
            let devices = Set(states.map(\.device))
            var gone = try Self.devices(in: Self.stateTables, database).subtracting(devices)
            if erased.includesRemoved { gone.formUnion(try Self.devices(in: ["removed"], database)) }
            for table in Self.stateTables + ["journal", "debt"] { try database.execute(sql: "DELETE FROM \(table)") }
            for state in states {
                try Self.write(try state.wholeChange(), to: database)
                for message in state.owed {
                    // One that cannot be read is set aside when it is to be published.
                    let kind = (try? StateCoder.decode(OwedMessage.self, from: message))?.kind ?? ""
                    try Self.owe(message, of: state.device, kind: kind, in: database)
                }
            }
            var count = 0
            for device in try Self.devices(in: ["history", "events", "removed", "damaged"], database) {
                if gone.contains(device) || erased.isErased(device) {
                    if try Self.eraseHistory(of: device.rawValue, in: database) { count += 1 }
                } else {
                    try Self.erase(erased.kinds(of: device), of: device.rawValue, in: database)
                }
            }
            return count
        }
        history.note(erased: count)
    }

    /// Whether a state or an owed message cannot be read, but for what another version wrote, or could not and is in no gap yet.
    func holdsDamage() throws -> Bool {
        try database.read { database in
            let unreported = """
                SELECT EXISTS (SELECT 1 FROM damaged WHERE NOT isReported AND source IN ('state', 'journal', 'debt'))
                """
            if try Bool.fetchOne(database, sql: unreported) ?? false { return true }
            var (ownerless, isDamaged): ([UnreadableRow], Bool) = ([], false)
            for stored in try Self.stored(database, ownerless: &ownerless) {
                _ = RestoredState(stored) { if !$0.isOfOtherVersion { isDamaged = true } }
            }
            let owed = try Row.fetchCursor(database, sql: "SELECT device, message FROM debt")
            while !isDamaged, let row = try owed.next() {
                let device = String.fromDatabaseValue(row["device"]).flatMap { DeviceID($0) }
                isDamaged = device == nil || (try? StateCoder.decode(OwedMessage.self, from: row.bytes("message"))) == nil
            }
            return isDamaged || !ownerless.isEmpty
        }
    }

    private static let stateTables = ["state", "part", "waiting"]

    private static func devices(in tables: [String], _ database: Database) throws -> Set<DeviceID> {
        let sql = tables.map { "SELECT device FROM \($0)" }.joined(separator: " UNION ")
        return Set(
            try Row.fetchAll(database, sql: sql).compactMap { row in
                String.fromDatabaseValue(row["device"]).flatMap { DeviceID($0) }
            })
    }
}
