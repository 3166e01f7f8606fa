import TelemetryModel

/// The hills that a device has run. Without a position two hills of the same climb and length are one.
package struct HillBook: Sendable, Equatable, Codable {
    private struct Hill: Sendable, Equatable, Codable {
        var number: Int
        /// In m; negative downhill.
        var netClimb: Double
        /// In m.
        var distance: Double
        var attempts = 0
        var previous: Double?
        /// The shortest times in s, sorted.
        var durations: [Double] = []
        /// The number of the attempt at which it was run last.
        var usedAt = 0
    }

    private static let mostHills = 50
    private static let mostDurations = 64
    /// How much a known hill may differ: metres of climb, and parts of climb and distance.
    private static let (climbMeters, part) = (3.0, 0.1)

    private var hills: [Hill] = []
    private var attempts = 0
    private var nextNumber = 1

    /// Whether no hill is known.
    package var isEmpty: Bool { hills.isEmpty }

    /// Adds a run; nil of a segment that is no hill.
    package mutating func add(_ segment: Segment) -> HillAttempt? {
        guard let climb = segment.climb, climb.hill != nil, let distance = segment.distance, distance > 0 else { return nil }
        let isFirst = nextNumber == 1
        let index = nearest(climb.netClimb, distance) ?? insert(climb.netClimb, distance)
        attempts.addSaturated(1)
        hills[index].usedAt = attempts
        hills[index].attempts.addSaturated(1)
        let duration = segment.duration
        let rank = 1 + (hills[index].durations.firstIndex { $0 >= duration } ?? hills[index].durations.count)
        hills[index].durations.insert(duration, at: rank - 1)
        if hills[index].durations.count > Self.mostDurations { hills[index].durations.removeLast() }
        defer { hills[index].previous = duration }
        let hill = hills[index]
        return HillAttempt(
            segment: segment, netClimb: climb.netClimb, hill: hill.number, attempt: hill.attempts,
            bestDuration: hill.durations[0], previousDuration: hill.previous, rank: rank, isFirst: isFirst)
    }

    private func nearest(_ netClimb: Double, _ distance: Double) -> Int? {
        hills.indices.compactMap { index -> (index: Int, difference: Double)? in
            let hill = hills[index]
            let climb = abs(netClimb - hill.netClimb) / max(Self.climbMeters, Self.part * abs(hill.netClimb))
            let length = abs(distance - hill.distance) / (Self.part * hill.distance)
            return climb <= 1 && length <= 1 ? (index, climb + length) : nil
        }.min { $0.difference < $1.difference }?.index
    }

    /// Adds a hill; the one that was not run for longest makes room.
    private mutating func insert(_ netClimb: Double, _ distance: Double) -> Int {
        if hills.count >= Self.mostHills, let oldest = hills.indices.min(by: { hills[$0].usedAt < hills[$1].usedAt }) {
            hills.remove(at: oldest)
        }
        hills.append(Hill(number: nextNumber, netClimb: netClimb, distance: distance))
        nextNumber.addSaturated(1)
        return hills.count - 1
    }
}
