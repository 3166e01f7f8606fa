import Foundation
import GRDB
import GatewayPipeline
import Mosquitto
import TelemetryModel

/// Where the last message of each kind of a device is read.
protocol LatestMessages: Sendable {
    /// The messages of all lanes, in no order, and the kinds whose message is damaged; throws when they cannot be read.
    func messages(of device: DeviceID) async throws -> (messages: [StoredMessage], damaged: [String])
}

/// The committed messages in the files of a state directory.
struct CommittedMessages: LatestMessages {
    let files: LaneFiles

    func messages(of device: DeviceID) async throws -> (messages: [StoredMessage], damaged: [String]) {
        var (messages, damaged): ([StoredMessage], Set<String>) = ([], [])
        for database in try files.open() {
            let (parts, setAside) = try await database.read { database in
                (try Self.parts(of: device, in: database), try CheckpointStore.damagedMessages(of: device, in: database))
            }
            let found = DeviceState.messages(in: parts)
            messages += found.messages
            damaged.formUnion(found.damaged + setAside)
        }
        return (messages, damaged.subtracting(messages.map(\.kind)).sorted())
    }

    private static func parts(of device: DeviceID, in database: Database) throws -> [StatePart] {
        try DeviceState.messagePrefixes.flatMap { prefix in
            try Row.fetchAll(
                database, sql: "SELECT name, version, bytes FROM part WHERE device = ? AND name >= ? AND name < ?",
                arguments: [device.rawValue, prefix, "\(prefix)\u{10FFFF}"]
            ).map { row in
                // One that cannot be read has no name of a message, or no bytes of one.
                StatePart(
                    name: String.fromDatabaseValue(row["name"]) ?? "", version: Int.fromDatabaseValue(row["version"]) ?? 0,
                    bytes: row.remains("bytes"))
            }
        }
    }
}

/// The messages in the memory of the lanes, where states are not stored: once the broker has accepted them, as nothing else is
/// committed there.
struct AcceptedMessages: LatestMessages {
    let lanes: LaneRegistry
    let egress: Egress
    let timeoutSeconds: Double
    let clock: any GatewayClock

    func messages(of device: DeviceID) async throws -> (messages: [StoredMessage], damaged: [String]) {
        let messages = await lanes.messages(of: device)
        for priority in PublishPriority.allCases {
            // The ticket of nothing is that of the last message before it.
            let ticket = egress.client.enqueue([], priority: priority)
            try await egress.settle(ticket, within: timeoutSeconds, clock: clock)
        }
        return (messages, [])
    }
}
