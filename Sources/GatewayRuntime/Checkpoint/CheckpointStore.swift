import Foundation
import GRDB
package import GatewayPipeline
import StateCoding
package import TelemetryModel

/// The states of one lane's devices on disk: one SQLite file, one transaction a checkpoint.
///
/// Write-ahead logging with full synchronization: when `write` returns, what it wrote survives a loss of power as far as the disk
/// keeps its word.
package final class CheckpointStore: Sendable {
    /// What a checkpoint says of one device.
    package struct Entry: Sendable {
        /// Whose it is.
        package let device: DeviceID
        /// Its encoded state; nil when nothing of it is kept any more.
        package let state: [UInt8]?
        /// Its `committed` messages, to be published once the checkpoint is written.
        package let committed: [OutboundMessage]
    }

    private let database: DatabaseQueue
    private let path: String
    private let machine: String
    private let onDamage: @Sendable (_ problem: String) -> Void

    /// Opens the file at `path`, or makes it; `machine` names the run of the operating system, whose monotonic clock begins anew
    /// with it. A device whose state is damaged begins anew, and `onDamage` is told.
    ///
    /// Throws `DamagedStore` when the file is no database, `GatewayError` when it cannot be used or was written by a version of the
    /// program that this one does not read.
    package init(path: String, machine: String, onDamage: @escaping @Sendable (String) -> Void) throws {
        self.path = path
        self.machine = machine
        self.onDamage = onDamage
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA journal_mode = WAL")
            try database.execute(sql: "PRAGMA synchronous = FULL")
        }
        do {
            database = try DatabaseQueue(path: path, configuration: configuration)
            let verdict = try database.read { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") }
            if let verdict, verdict != "ok" { throw DamagedStore(description: "\(path): \(verdict)") }
            try Self.migrator.migrate(database)
        } catch let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) {
            throw DamagedStore(description: "\(path): \(error)")
        } catch let error as DatabaseError {
            throw GatewayError("\(path): \(error)")
        }
        try refuseOtherVersions()
    }

    private static let migrator: DatabaseMigrator = {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("states") { database in
            try database.create(table: "device") { table in
                table.primaryKey("id", .text)
                table.column("version", .text).notNull()
                table.column("machine", .text).notNull()
                table.column("savedMonotonic", .double).notNull()
                table.column("savedUnix", .double).notNull()
                table.column("state", .blob).notNull()
            }
            try database.create(table: "suspect") { table in
                table.column("topic", .text).notNull()
                table.column("payload", .blob).notNull()
                table.column("crashes", .integer).notNull()
                table.primaryKey(["topic", "payload"])
            }
        }
        return migrator
    }()

    private func refuseOtherVersions() throws {
        let advice = "move it aside to begin without what it holds"
        let (isNewer, other) = try database.read { database in
            (
                try Self.migrator.hasBeenSuperseded(database),
                try String.fetchOne(
                    database, sql: "SELECT version FROM device WHERE version <> ? LIMIT 1", arguments: [DeviceState.schema])
            )
        }
        if isNewer { throw GatewayError("\(path) was written by a newer version of fathom; use that, or \(advice)") }
        if let other {
            throw GatewayError("\(path) holds states of version \(other), this fathom reads \(DeviceState.schema); \(advice)")
        }
    }

    /// Writes a checkpoint as a whole; throws, and has written nothing, when the disk is full or fails.
    package func write(_ entries: [Entry], at now: GatewayTime) async throws {
        guard !entries.isEmpty else { return }
        try await database.write { [machine] database in
            let insert = try database.cachedStatement(
                sql: """
                    INSERT OR REPLACE INTO device (id, version, machine, savedMonotonic, savedUnix, state) VALUES (?, ?, ?, ?, ?, ?)
                    """)
            let delete = try database.cachedStatement(sql: "DELETE FROM device WHERE id = ?")
            for entry in entries {
                if let state = entry.state {
                    try insert.execute(arguments: [
                        entry.device.rawValue, DeviceState.schema, machine, now.monotonic, now.unix.seconds, Data(state),
                    ])
                } else {
                    try delete.execute(arguments: [entry.device.rawValue])
                }
            }
            FaultPoint.committing.reach()
        }
    }

    /// Every state there is.
    package func load(at now: GatewayTime) throws -> [StoredState] {
        try database.read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM device ORDER BY id").compactMap { state(of: $0, at: now) }
        }
    }

    /// The state of one device; nil when there is none.
    func load(_ device: DeviceID, at now: GatewayTime) throws -> DeviceState? {
        try database.read { database in
            try Row.fetchOne(database, sql: "SELECT * FROM device WHERE id = ?", arguments: [device.rawValue])
                .flatMap { state(of: $0, at: now)?.state }
        }
    }

    private func state(of row: Row, at now: GatewayTime) -> StoredState? {
        let id: String = row["id"]
        guard let device = DeviceID(id) else { return nil }
        do {
            let bytes: Data = row["state"]
            var state = try StateCoder.decode(DeviceState.self, from: Array(bytes))
            if row["machine"] != machine {
                // What went by meanwhile is known by the wall clock alone; one that went back counts as no time.
                let elapsed = max(0, now.unix.seconds - (row["savedUnix"] as Double))
                state.shiftMonotonic(by: now.monotonic - elapsed - (row["savedMonotonic"] as Double))
            }
            return StoredState(device: device, state: state)
        } catch {
            onDamage("\(path): the state of \(id) cannot be read and is left out: \(error)")
            return nil
        }
    }
}

extension CheckpointStore {
    /// Counts one more crash while `message` was processed.
    func countCrash(topic: String, payload: [UInt8]) throws {
        try database.write { database in
            try database.execute(
                sql: """
                    INSERT INTO suspect (topic, payload, crashes) VALUES (?, ?, 1)
                    ON CONFLICT (topic, payload) DO UPDATE SET crashes = crashes + 1
                    """, arguments: [topic, Data(payload)])
        }
    }

    /// The messages that the process has crashed on.
    func suspects() throws -> [Quarantine.Suspect] {
        try database.read { database in
            try Row.fetchAll(database, sql: "SELECT topic, payload, crashes FROM suspect").map { row in
                Quarantine.Suspect(topic: row["topic"], payload: Array(row["payload"] as Data), crashes: row["crashes"])
            }
        }
    }

    /// Forgets that the process has crashed on `suspect`.
    func absolve(_ suspect: Quarantine.Suspect) throws {
        try database.write { database in
            try database.execute(
                sql: "DELETE FROM suspect WHERE topic = ? AND payload = ?", arguments: [suspect.topic, Data(suspect.payload)])
        }
    }
}

/// A file that should hold states is no database any more.
struct DamagedStore: Error, CustomStringConvertible {
    /// What SQLite says of it.
    let description: String
}

/// A device's state as it was written down.
package struct StoredState: Sendable {
    /// Whose it is.
    package let device: DeviceID
    /// The state, its instants on the present monotonic clock.
    package let state: DeviceState
}
