import Foundation
import GRDB
import GatewayConfiguration
import GatewayPipeline
import TelemetryModel

/// The histories and the messages that are kept in the files of a state directory, read-only: nothing waits for a lane.
struct StoredHistory: Sendable {
    private static let batch = 32

    /// The state directory.
    let folder: String

    private func databases() throws -> [DatabaseQueue] {
        var configuration = Configuration()
        configuration.readonly = true
        return try GatewayConfiguration.Lanes.Name.allCases.map { "\(folder)/\($0.rawValue).sqlite" }
            .filter { FileManager.default.fileExists(atPath: $0) }
            .map { try DatabaseQueue(path: $0, configuration: configuration) }
    }

    /// The first `limit` messages of `device` that `query` asks for, in order.
    func events(
        of device: DeviceID, in range: RequestRange, after: EventsQuery.Place? = nil, limit: Int,
        where isIncluded: (String) -> Bool
    ) throws -> [StoredEvent] {
        var events: [StoredEvent] = []
        for database in try databases() {
            events += try database.read { database in
                let rows = try Row.fetchCursor(
                    database,
                    sql: """
                        SELECT at, id, kind, payload FROM events WHERE device = ? AND at >= ? AND at < ? AND (at, id) > (?, ?)
                        ORDER BY at, id
                        """,
                    arguments: [
                        device.rawValue, range.from.seconds, range.to.seconds, after?.at.seconds ?? -.infinity, after?.id ?? "",
                    ])
                var found: [StoredEvent] = []
                while found.count < limit, let row = try rows.next() {
                    let kind: String = row["kind"]
                    guard isIncluded(kind) else { continue }
                    found.append(
                        StoredEvent(kind: kind, at: UnixTime(row["at"]), id: row["id"], payload: Array(row["payload"] as Data)))
                }
                return found
            }
        }
        return Array(events.sorted { ($0.at.seconds, $0.id) < ($1.at.seconds, $1.id) }.prefix(limit))
    }

    /// Calls `body` with the minutes of `device`, in order. Between two batches of rows a lane can write.
    func forEachMinute(of device: DeviceID, in minutes: Range<Int>, _ body: (HistoryMinute) async throws -> Void) async throws {
        for database in try databases() {
            var next = minutes.lowerBound
            while next < minutes.upperBound {
                let rows = try await database.read { [next] database in
                    try HistoryRow.read(of: device, in: next..<minutes.upperBound, most: Self.batch, database)
                }
                for row in rows { try await body(try row.samples()) }
                guard rows.count == Self.batch, let last = rows.last else { break }
                next = last.minute + 1
            }
        }
    }
}
