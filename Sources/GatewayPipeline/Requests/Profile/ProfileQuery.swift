import JSONText
package import TelemetryModel

/// The query `profile`: altitude over time and distance, from the messages of `altitude` and `pace` that are kept.
package struct ProfileQuery: Sendable, Equatable {
    private static let longest = 2 * HistoryDay.seconds
    private static let mostPoints = 4_096

    /// The kinds that it is made of.
    package static let kinds = ["altitude", "pace"]

    /// The time.
    package let range: RequestRange

    init(_ body: JSONNode?) throws(RequestFailure) {
        do throws(Rejection) { range = try RequestRange(body, longest: Self.longest) } catch { throw RequestFailure(error) }
    }

    /// The reply with at most 4,096 points, evenly chosen of the altitudes in `events`, which are in order.
    package func reply(to request: Request, _ events: [StoredEvent], at now: UnixTime) -> Reply {
        let splitter = JSONSplitter()
        var altitudes: [(time: Double, altitude: Double?, relative: Double?)] = []
        var distances: [(time: Double, meters: Double)] = []
        for event in events {
            if event.kind == Self.kinds[0] {
                let members = (try? splitter.split(event.payload[...], "altitude", "relativeAltitude")) ?? [nil, nil]
                altitudes.append((event.at.seconds, members[0]?.number, members[1]?.number))
            } else if let meters = ((try? splitter.split(event.payload[...], "distance")) ?? [nil])[0]?.number {
                distances.append((event.at.seconds, meters))
            }
        }
        let step = max(1, (altitudes.count + Self.mostPoints - 1) / Self.mostPoints)
        let points = stride(from: 0, to: altitudes.count, by: step).map { altitudes[$0] }
        var next = 0
        let meters = points.map { point -> Double? in
            while next < distances.count, distances[next].time < point.time { next += 1 }
            return Self.distance(at: point.time, distances, next)
        }
        return .holding(request, at: now) { json in
            json.array("time") { json in
                for point in points { json.seconds(nil, point.time) }
            }
            json.field("altitude", points.map { $0.altitude.map(Self.rounded) })
            json.field("relativeAltitude", points.map { $0.relative.map(Self.rounded) })
            json.field("distance", meters.map { $0.map(Self.rounded) })
        }
    }

    /// The distance between the two messages around `time`; nil before the first, after the last, and where a count began anew.
    private static func distance(at time: Double, _ distances: [(time: Double, meters: Double)], _ next: Int) -> Double? {
        guard next < distances.count else { return nil }
        let after = distances[next]
        if after.time == time { return after.meters }
        guard next > 0 else { return nil }
        let before = distances[next - 1]
        guard after.meters >= before.meters else { return nil }
        return before.meters + (after.meters - before.meters) * (time - before.time) / (after.time - before.time)
    }

    private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}
