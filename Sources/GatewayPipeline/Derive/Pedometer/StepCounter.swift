import TelemetryModel

/// What was counted from one instant to another.
struct StepStretch: Sendable, Equatable, Codable {
    /// Device times in s.
    var start, end: Double
    var steps = 0.0
    /// In m; nil where it is not measured.
    var distance: Double?
    var floorsAscended: Double?
    var floorsDescended: Double?

    var duration: Double { max(0, end - start) }

    /// The same from `time` on, of evenly spread counts.
    func after(_ time: Double) -> StepStretch {
        time <= start ? self : part(duration > 0 ? (end - time) / duration : 0, from: time)
    }

    /// A share of the counts, 0 to 1, from `time` on.
    func part(_ share: Double, from time: Double) -> StepStretch {
        let share = min(max(share, 0), 1)
        return StepStretch(
            start: min(time, end), end: end, steps: steps * share, distance: distance.map { $0 * share },
            floorsAscended: floorsAscended.map { $0 * share }, floorsDescended: floorsDescended.map { $0 * share })
    }

    /// This stretch and the next as one.
    func joined(_ next: StepStretch) -> StepStretch {
        StepStretch(
            start: start, end: next.end, steps: steps + next.steps, distance: distance.adding(next.distance),
            floorsAscended: floorsAscended.adding(next.floorsAscended),
            floorsDescended: floorsDescended.adding(next.floorsDescended))
    }
}

extension Double? {
    /// The sum of what is known; nil where neither is.
    func adding(_ other: Double?) -> Double? { self == nil && other == nil ? nil : (self ?? 0) + (other ?? 0) }
}

/// The differences of a counter that grows. A count with another start, or with fewer steps than before, is a new counter.
struct StepCounter: Sendable, Equatable, Codable {
    private var startDate: UnixTime?
    /// When the last reading ended.
    private(set) var end: Double
    private var steps: Int
    private var distance: Double?
    private var floorsAscended: Int?
    private var floorsDescended: Int?

    /// A counter with its first reading.
    init(_ data: PedometerData) {
        startDate = data.startDate
        end = data.end.seconds
        steps = data.steps
        distance = data.distance
        floorsAscended = data.floorsAscended
        floorsDescended = data.floorsDescended
    }

    /// All that a reading counts.
    static func whole(_ data: PedometerData) -> StepStretch {
        StepStretch(
            start: data.start.seconds, end: data.end.seconds, steps: Double(data.steps), distance: data.distance,
            floorsAscended: data.floorsAscended.map(Double.init), floorsDescended: data.floorsDescended.map(Double.init))
    }

    /// What a reading counts since the one before, and whether it overlaps with that as a new counter; nil of one that is not
    /// later.
    mutating func difference(_ data: PedometerData) -> (stretch: StepStretch, isNew: Bool)? {
        guard data.end.seconds > end else { return nil }
        defer { self = merged(data) }
        guard data.startDate == startDate, data.steps >= steps else {
            var whole = Self.whole(data)
            let isRestart = data.startDate == startDate
            let overlaps = isRestart || whole.start < end - Self.overlapSeconds
            whole = isRestart ? whole.part(1, from: end) : whole.after(end)
            return (whole, overlaps)
        }
        let stretch = StepStretch(
            start: end, end: data.end.seconds, steps: Double(data.steps - steps),
            distance: data.distance.flatMap { now in distance.map { max(0, now - $0) } ?? now },
            floorsAscended: Self.growth(floorsAscended, data.floorsAscended),
            floorsDescended: Self.growth(floorsDescended, data.floorsDescended))
        return (stretch, false)
    }

    /// Counters of one period each begin where the one before ended, give or take the clock.
    private static let overlapSeconds = 1.0

    private static func growth(_ before: Int?, _ now: Int?) -> Double? { now.map { Double(max(0, $0 - (before ?? 0))) } }

    /// The counter after a reading; a value that is not in it is kept, so that the next one gives the difference.
    private func merged(_ data: PedometerData) -> StepCounter {
        var merged = StepCounter(data)
        guard data.startDate == startDate, data.steps >= steps else { return merged }
        merged.distance = data.distance.map { max($0, distance ?? 0) } ?? distance
        merged.floorsAscended = data.floorsAscended ?? floorsAscended
        merged.floorsDescended = data.floorsDescended ?? floorsDescended
        return merged
    }
}
