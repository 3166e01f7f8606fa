internal import JSONText
import TelemetryModel

/// The altitudes and distances of a profile, from messages that are added in any order.
package struct ProfilePoints {
    struct Point {
        var time: Double
        var altitude: Double?
        var relativeAltitude: Double?
        /// The distance at that time; nil where it is not known.
        var distance: Double?
    }

    /// The kinds that a profile is made of.
    package static let kinds = [altitude, "pace"]
    private static let altitude = "altitude"

    private var altitudes: [Point] = []
    private var distances: [(time: Double, meters: Double)] = []
    private let splitter = JSONSplitter()

    /// No points.
    package init() {}

    /// Adds a message of one of `kinds`.
    package mutating func add(_ event: StoredEvent) {
        if event.kind == Self.altitude {
            let members = (try? splitter.split(event.payload[...], "altitude", "relativeAltitude")) ?? [nil, nil]
            altitudes.append(
                Point(time: event.at.seconds, altitude: members[0]?.number, relativeAltitude: members[1]?.number))
        } else if let meters = ((try? splitter.split(event.payload[...], "distance")) ?? [nil])[0]?.number {
            distances.append((event.at.seconds, meters))
        }
    }

    /// At most `most` points in order of time, evenly chosen of the altitudes, with the distance at each.
    func points(most: Int) -> [Point] {
        let altitudes = altitudes.sorted { $0.time < $1.time }
        let distances = distances.sorted { $0.time < $1.time }
        let step = max(1, (altitudes.count + most - 1) / most)
        var next = 0
        return stride(from: 0, to: altitudes.count, by: step).map { index in
            var point = altitudes[index]
            while next < distances.count, distances[next].time < point.time { next += 1 }
            point.distance = Self.distance(at: point.time, distances, next)
            return point
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
}
