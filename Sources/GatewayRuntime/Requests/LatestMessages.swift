import Foundation
import GRDB
import GatewayPipeline
import Mosquitto
import TelemetryModel

/// Where the last message of each kind of a device is read.
protocol LatestMessages: Sendable {
    /// The messages of all lanes, in no order; throws when they cannot be read.
    func messages(of device: DeviceID) async throws -> [StoredMessage]
}

/// The committed messages in the files of a state directory.
struct CommittedMessages: LatestMessages {
    let files: LaneFiles

    func messages(of device: DeviceID) async throws -> [StoredMessage] {
        var messages: [StoredMessage] = []
        for database in try files.open() {
            messages += DeviceState.messages(in: try await database.read { try Self.parts(of: device, in: $0) })
        }
        return messages
    }

    private static func parts(of device: DeviceID, in database: Database) throws -> [StatePart] {
        try DeviceState.messagePrefixes.flatMap { prefix in
            try Row.fetchAll(
                database, sql: "SELECT name, version, bytes FROM part WHERE device = ? AND name >= ? AND name < ?",
                arguments: [device.rawValue, prefix, "\(prefix)\u{10FFFF}"]
            ).map { row in
                StatePart(name: row["name"], version: row["version"], bytes: Array(row["bytes"] as Data))
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

    func messages(of device: DeviceID) async throws -> [StoredMessage] {
        let messages = await lanes.messages(of: device)
        for priority in PublishPriority.allCases {
            // The ticket of nothing is that of the last message before it.
            let ticket = egress.client.enqueue([], priority: priority)
            try await egress.settle(ticket, within: timeoutSeconds, clock: clock)
        }
        return messages
    }
}
