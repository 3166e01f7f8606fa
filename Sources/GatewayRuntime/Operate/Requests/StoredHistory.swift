import Foundation
import GRDB
import GatewayPipeline
import TelemetryModel

/// The histories and the messages that are kept in the files of a state directory. What cannot be read is named, and left out.
struct StoredHistory: Sendable {
    private static let batch = 32
    /// So many rows that cannot be read are named to the lanes at once; the next query names others.
    private static let mostNamed = 256

    let files: LaneFiles

    /// What a query could not read.
    struct Damage: Sendable {
        /// For the reply, with what was set aside before.
        var spans = DamagedSpans()
        /// For the lanes, which set it aside.
        var found: StoredDamage

        fileprivate mutating func add(_ row: HistoryRow) {
            spans.add(.init(from: row.first, to: row.last, count: row.count))
            if found.minutes.count < StoredHistory.mostNamed { found.minutes.append(row.minute) }
        }

        fileprivate mutating func add(_ event: StoredEvent) {
            spans.add(.init(from: event.at, to: event.at, count: 1))
            if found.events.count < StoredHistory.mostNamed { found.events.append(.init(at: event.at, id: event.id)) }
        }
    }

    /// The first `limit` messages of `device` that `isIncluded` allows by their kind, in order.
    func events(
        of device: DeviceID, in range: RequestRange, after: EventsQuery.Place? = nil, limit: Int,
        where isIncluded: (String) -> Bool
    ) throws -> (events: [StoredEvent], damage: Damage) {
        var (events, damage): ([StoredEvent], Damage) = ([], Damage(found: .init(device: device)))
        for database in try files.open() {
            var count = 0
            try Self.forEachEvent(of: device, in: range, after: after, database, &damage, where: isIncluded) { event in
                events.append(event)
                count += 1
                return count < limit
            }
        }
        return (Array(events.sorted { ($0.at.seconds, $0.id) < ($1.at.seconds, $1.id) }.prefix(limit)), damage)
    }

    /// The points of a profile of `device`.
    func profile(of device: DeviceID, in range: RequestRange) throws -> (points: ProfilePoints, damage: Damage) {
        var (points, damage) = (ProfilePoints(), Damage(found: .init(device: device)))
        for database in try files.open() {
            try Self.forEachEvent(
                of: device, in: range, after: nil, database, &damage, where: ProfilePoints.kinds.contains
            ) { event in
                points.add(event)
                return true
            }
        }
        return (points, damage)
    }

    /// Calls `body` with the messages in one file, in order, until it returns false.
    private static func forEachEvent(
        of device: DeviceID, in range: RequestRange, after: EventsQuery.Place?, _ database: DatabaseQueue,
        _ damage: inout Damage, where isIncluded: (String) -> Bool, _ body: (StoredEvent) -> Bool
    ) throws {
        let reader = StoredEventReader()
        try database.read { database in
            let from = max(range.from.seconds, after?.at.seconds ?? -.infinity)
            for span in try CheckpointStore.damaged(
                .events, of: device, from: from, to: range.to.seconds, in: database, where: isIncluded)
            { damage.spans.add(span) }
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
                let kind = String.fromDatabaseValue(row["kind"])
                guard kind.map(isIncluded) ?? true, let at = try? row.seconds("at") else { continue }
                let event = StoredEvent(
                    kind: kind ?? "", at: UnixTime(at), id: String.fromDatabaseValue(row["id"]) ?? "",
                    payload: row.remains("payload"))
                guard reader.canRead(event) else {
                    damage.add(event)
                    continue
                }
                guard body(event) else { return }
            }
        }
    }

    /// Calls `body` with the minutes of `device`, in order; returns those that cannot be read. Between two batches of rows a lane can write.
    func forEachMinute(
        of device: DeviceID, in minutes: Range<Int>, _ body: (HistoryMinute) async throws -> Void
    ) async throws -> Damage {
        var damage = Damage(found: .init(device: device))
        for database in try files.open() {
            let seconds = (Double(minutes.lowerBound) * 60, Double(minutes.upperBound) * 60)
            let setAside = try await database.read { database in
                try CheckpointStore.damaged(.history, of: device, from: seconds.0, to: seconds.1, in: database)
            }
            setAside.forEach { damage.spans.add($0) }
            var next = minutes.lowerBound
            while next < minutes.upperBound {
                let rows = try await database.read { [next] database in
                    try HistoryRow.read(of: device, in: next..<minutes.upperBound, most: Self.batch, database)
                }
                for row in rows {
                    if let minute = try? row.samples() { try await body(minute) } else { damage.add(row) }
                }
                guard rows.count == Self.batch, let last = rows.last else { break }
                next = last.minute + 1
            }
        }
        return damage
    }
}

extension CheckpointStore {
    /// What was set aside of `device` in a time, but for minutes of which as many samples have come again.
    static func damaged(
        _ source: DamagedRow.Source, of device: DeviceID, from: Double, to: Double, in database: Database,
        where isIncluded: (String) -> Bool = { _ in true }
    ) throws -> [DamagedSpans.Span] {
        try Row.fetchAll(
            database,
            sql: """
                SELECT name, first, last, count FROM damaged WHERE device = ? AND source = ? AND last >= ? AND first < ?
                AND NOT EXISTS (SELECT 1 FROM history WHERE history.device = damaged.device
                    AND CAST(history.minute AS TEXT) = damaged.name AND history.count >= damaged.count)
                """, arguments: [device.rawValue, source.rawValue, from, to]
        ).compactMap { row in
            guard let name = String.fromDatabaseValue(row["name"]), isIncluded(name), let first = try? row.seconds("first"),
                let last = try? row.seconds("last")
            else { return nil }
            return .init(from: UnixTime(first), to: UnixTime(last), count: max(1, Int.fromDatabaseValue(row["count"]) ?? 1))
        }
    }

    /// The kinds of the last messages of `device` that were set aside.
    static func damagedMessages(of device: DeviceID, in database: Database) throws -> [String] {
        return try String.fetchAll(
            database, sql: "SELECT name FROM damaged WHERE device = ? AND source = ?",
            arguments: [device.rawValue, DamagedRow.Source.state.rawValue]
        ).compactMap(DeviceState.messageKind(ofPart:))
    }
}
