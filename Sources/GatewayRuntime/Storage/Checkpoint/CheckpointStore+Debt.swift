import Foundation
import GRDB
import GatewayPipeline
import StateCoding
import TelemetryModel

/// What was published of rows that stay until the broker has accepted it, by the numbers of the rows.
package struct SettledRows: Sendable {
    /// Messages of a replay.
    var debts: [(number: Int64, device: DeviceID)] = []
    /// Damaged rows.
    var damaged: [Int64] = []

    /// Whether there are none.
    var isEmpty: Bool { debts.isEmpty && damaged.isEmpty }

    static func += (left: inout Self, right: Self) {
        left.debts += right.debts
        left.damaged += right.damaged
    }
}

/// The messages that a replay has led to: they stay in the file until a commit after the broker has accepted them.
extension CheckpointStore {
    /// A message, and the number of its row: those of a device are published in the order of their numbers.
    typealias Debt = (number: Int64, message: OwedMessage)

    static func createDebt(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE debt (number INTEGER PRIMARY KEY AUTOINCREMENT, device TEXT NOT NULL, kind TEXT NOT NULL,
                    message BLOB NOT NULL);
                CREATE INDEX debtDevice ON debt (device);
                """)
    }

    /// Adds messages behind all others.
    static func owe(_ messages: [OwedMessage], in database: Database) throws {
        for message in messages {
            try owe(StateCoder.encode(message), of: message.device, kind: message.kind, in: database)
        }
    }

    /// Adds an encoded message behind all others.
    static func owe(_ message: [UInt8], of device: DeviceID, kind: String, in database: Database) throws {
        try database.cachedStatement(sql: "INSERT INTO debt (device, kind, message) VALUES (?, ?, ?)")
            .execute(arguments: [device.rawValue, kind, Data(message)])
    }

    /// The messages that are owed, in order. Those that cannot be read are set aside.
    func debts() throws -> [Debt] {
        var unreadable: [UnreadableRow] = []
        var debts: [Debt] = []
        let rows = try database.read {
            try Row.fetchAll($0, sql: "SELECT number, device, kind, message FROM debt ORDER BY number")
        }
        for row in rows {
            do {
                debts.append((try row.stored("number"), try StateCoder.decode(OwedMessage.self, from: row.bytes("message"))))
            } catch {
                unreadable.append(
                    UnreadableRow(
                        source: .debt, device: String.fromDatabaseValue(row["device"]),
                        name: String.fromDatabaseValue(row["kind"]) ?? "", reason: "\(error)", bytes: row.remains("message"),
                        key: [row["number"] as DatabaseValue]))
            }
        }
        if !unreadable.isEmpty { try setAside(unreadable) }
        return debts
    }

    /// Removes what the broker has accepted, and notes which damaged rows are reported.
    static func settle(_ rows: SettledRows, in database: Database) throws {
        for debt in rows.debts {
            try database.cachedStatement(sql: "DELETE FROM debt WHERE number = ?").execute(arguments: [debt.number])
        }
        for number in rows.damaged {
            try database.cachedStatement(sql: "UPDATE damaged SET isReported = 1 WHERE number = ?").execute(arguments: [number])
        }
    }

    /// The encoded messages that are owed of each device, or of `device` alone, in order.
    static func owed(of device: DeviceID? = nil, in database: Database) throws -> [String: [[UInt8]]] {
        let condition = device == nil ? "" : "WHERE device = ?"
        let rows = try Row.fetchAll(
            database, sql: "SELECT device, message FROM debt \(condition) ORDER BY number",
            arguments: device.map { [$0.rawValue] } ?? [])
        return rows.reduce(into: [:]) { owed, row in
            // One that cannot be read is set aside by `debts`.
            guard let device = String.fromDatabaseValue(row["device"]), let message = try? row.bytes("message") else { return }
            owed[device, default: []].append(message)
        }
    }
}
