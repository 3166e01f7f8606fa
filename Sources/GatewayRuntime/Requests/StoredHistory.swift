import Foundation
import GRDB
import GatewayPipeline
import TelemetryModel

/// The histories and the messages that are kept in the files of a state directory.
struct StoredHistory: Sendable {
    private static let batch = 32

    let files: LaneFiles

    /// The first `limit` messages of `device` that `isIncluded` allows by their kind, in order.
    func events(
        of device: DeviceID, in range: RequestRange, after: EventsQuery.Place? = nil, limit: Int,
        where isIncluded: (String) -> Bool
    ) throws -> [StoredEvent] {
        var events: [StoredEvent] = []
        for database in try files.open() {
            var count = 0
            try Self.forEachEvent(of: device, in: range, after: after, database, where: isIncluded) { event in
                events.append(event)
                count += 1
                return count < limit
            }
        }
        return Array(events.sorted { ($0.at.seconds, $0.id) < ($1.at.seconds, $1.id) }.prefix(limit))
    }

    /// The points of a profile of `device`.
    func profile(of device: DeviceID, in range: RequestRange) throws -> ProfilePoints {
        var points = ProfilePoints()
        for database in try files.open() {
            try Self.forEachEvent(of: device, in: range, after: nil, database, where: ProfilePoints.kinds.contains) { event in
                points.add(event)
                return true
            }
        }
        return points
    }

    /// Calls `body` with the messages in one file, in order, until it returns false.
    private static func forEachEvent(
        of device: DeviceID, in range: RequestRange, after: EventsQuery.Place?, _ database: DatabaseQueue,
        where isIncluded: (String) -> Bool, _ body: (StoredEvent) -> Bool
    ) throws {
        try database.read { database in
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT at, id, kind, payload FROM events WHERE device = ? AND at >= ? AND at < ? AND (at, id) > (?, ?)
                    ORDER BY at, id
                    """,
                arguments: [
                    device.rawValue, range.from.seconds, range.to.seconds, after?.at.seconds ?? -.infinity, after?.id ?? "",
                ])
            while let row = try rows.next() {
                let kind: String = row["kind"]
                guard isIncluded(kind) else { continue }
                let event = StoredEvent(
                    kind: kind, at: UnixTime(row["at"]), id: row["id"], payload: Array(row["payload"] as Data))
                guard body(event) else { return }
            }
        }
    }

    /// Calls `body` with the minutes of `device`, in order. Between two batches of rows a lane can write.
    func forEachMinute(of device: DeviceID, in minutes: Range<Int>, _ body: (HistoryMinute) async throws -> Void) async throws {
        for database in try files.open() {
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
