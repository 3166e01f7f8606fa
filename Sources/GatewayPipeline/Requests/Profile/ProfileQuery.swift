import JSONText
package import TelemetryModel

/// The query `profile`: altitude over time and distance, from the messages of `altitude` and `pace` that are kept.
package struct ProfileQuery: Sendable, Equatable {
    private static let longest = 2 * HistoryDay.seconds
    private static let mostPoints = 4_096

    /// The time.
    package let range: RequestRange

    init(_ body: JSONNode?) throws(RequestFailure) {
        do throws(Rejection) { range = try RequestRange(body, longest: Self.longest) } catch { throw RequestFailure(error) }
    }

    /// The reply with at most 4,096 points; `damaged` is what cannot be read.
    package func reply(
        to request: Request, _ profile: ProfilePoints, damaged: DamagedSpans = DamagedSpans(), at now: UnixTime
    ) -> Reply {
        let points = profile.points(most: Self.mostPoints)
        func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
        return .holding(request, at: now) { json in
            json.array("time") { json in
                for point in points { json.seconds(nil, point.time) }
            }
            json.field("altitude", points.map { $0.altitude.map(rounded) })
            json.field("relativeAltitude", points.map { $0.relativeAltitude.map(rounded) })
            json.field("distance", points.map { $0.distance.map(rounded) })
            damaged.write(to: &json)
        }
    }
}
