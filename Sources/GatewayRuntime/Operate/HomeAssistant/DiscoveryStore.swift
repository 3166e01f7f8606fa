import GRDB
import Glibc
package import HomeAssistant
import Logging
package import TelemetryModel

/// The discovery messages that the broker may retain, a row for each topic: after a restart they are removed where they are no
/// longer wanted, and complete where they are.
///
/// A row is written before its message is published. It has no kinds from when the removal is published, and is removed after the
/// broker has accepted that. Kinds whose entities are removed stay in it: whether Home Assistant has received that is not known.
package struct DiscoveryStore: Sendable {
    /// One retained message.
    package struct Row: Sendable, Equatable {
        /// Its topic.
        package var topic: String
        /// The device; nil for the gateway itself.
        package var device: DeviceID?
        /// The device as it is announced; nil for the gateway, and for a device whose removal is not accepted yet.
        package var announced: DiscoveryEncoder.Device?

        /// A row.
        package init(topic: String, device: DeviceID? = nil, announced: DiscoveryEncoder.Device? = nil) {
            self.topic = topic
            self.device = device
            self.announced = announced
        }
    }

    private let database: DatabaseQueue
    /// What is in front of a kind whose entities are removed.
    private static let removed = "-"

    /// Opens the file at `path`, or makes it; without one the rows are kept in memory. Throws a `DatabaseError`.
    package init(path: String? = nil) throws {
        database = try .durable(path)
        // Kinds are separated by spaces, which topics of the contract do not contain; a removed one has a sign in front.
        try database.write {
            try $0.execute(
                sql:
                    "CREATE TABLE IF NOT EXISTS announced (topic TEXT PRIMARY KEY, device TEXT, kinds TEXT, model TEXT) WITHOUT ROWID"
            )
        }
        _ = try rows()
    }

    /// All rows, in order of their topics.
    package func rows() throws -> [Row] {
        try database.read { database in
            try GRDB.Row.fetchAll(database, sql: "SELECT topic, device, kinds, model FROM announced ORDER BY topic").map { row in
                let topic: String = try row.stored("topic")
                guard let name = String.fromDatabaseValue(row["device"]), let device = DeviceID(name) else {
                    return Row(topic: topic)
                }
                let words = (String.fromDatabaseValue(row["kinds"]) ?? "").split(separator: " ").map(String.init)
                let kinds = words.filter { !$0.hasPrefix(Self.removed) }
                guard !kinds.isEmpty else { return Row(topic: topic, device: device) }
                let removedKinds = words.filter { $0.hasPrefix(Self.removed) }.map { String($0.dropFirst()) }
                return Row(
                    topic: topic, device: device,
                    announced: .init(
                        kinds: Set(kinds), removedKinds: Set(removedKinds), model: String.fromDatabaseValue(row["model"])))
            }
        }
    }

    /// Writes rows, in place of those of the same topics.
    package func save(_ rows: [Row]) throws {
        try database.write { database in
            for row in rows {
                try database.execute(
                    sql: "INSERT OR REPLACE INTO announced (topic, device, kinds, model) VALUES (?, ?, ?, ?)",
                    arguments: [
                        row.topic, row.device?.rawValue, row.announced.map(Self.words(of:)), row.announced?.model,
                    ])
            }
        }
    }

    /// The kinds of a device as they are stored.
    private static func words(of device: DiscoveryEncoder.Device) -> String {
        (device.kinds.sorted() + device.removedKinds.sorted().map { removed + $0 }).joined(separator: " ")
    }

    /// Records that the messages of these topics are to be removed: a later start announces no device without kinds.
    package func noteRemoval(of topics: [String]) throws {
        try database.write { database in
            for topic in topics {
                try database.execute(sql: "UPDATE announced SET kinds = '' WHERE topic = ?", arguments: [topic])
            }
        }
    }

    /// Removes the rows of these topics.
    package func remove(_ topics: [String]) throws {
        try database.write { database in
            for topic in topics { try database.execute(sql: "DELETE FROM announced WHERE topic = ?", arguments: [topic]) }
        }
    }
}

extension StateDirectory {
    /// Whether a run before this one has announced devices to Home Assistant.
    var hasDiscoveryStore: Bool { access(discoveryFile, F_OK) == 0 }

    private var discoveryFile: String { "\(path)/homeassistant.sqlite" }

    /// The discovery messages that the previous run has published. A file that cannot be read is moved aside.
    func discoveryStore() throws -> DiscoveryStore {
        let file = discoveryFile
        do {
            return try DiscoveryStore(path: file)
        } catch let error where error is OtherType || (error as? DatabaseError)?.isDamage == true {
            moveAside(file, "the record of what is announced to Home Assistant is damaged: moved aside", because: error)
            return try DiscoveryStore(path: file)
        }
    }
}
