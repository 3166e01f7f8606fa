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

    /// The part from `time` on, of evenly spread counts.
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

/// The differences of a counter that grows. A count with another start, or with far fewer steps than before, is a new counter; one with a
/// few less corrects what was counted, and counts nothing until it is as high again.
struct StepCounter: Sendable, Equatable, Codable {
    private var startDate: UnixTime?
    /// When the last reading ended; nil where that was in another boot or run, whose clock was another.
    private(set) var end: Double?
    /// The greatest readings of this counter.
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

    /// The counter in the next boot or run of the device; nil where its readings would not tell whether it goes on.
    func continued() -> StepCounter? {
        guard startDate != nil else { return nil }
        var continued = self
        continued.end = nil
        return continued
    }

    /// The counter of a boot that has come back, after the boot in between.
    func resumed(after other: StepCounter?) -> StepCounter {
        guard startDate != nil, var resumed = other, resumed.startDate == startDate else { return self }
        resumed.end = end
        return resumed
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
        let end = end ?? -.greatestFiniteMagnitude
        guard data.end.seconds > end else { return nil }
        let isRestart = data.startDate == startDate
        guard isRestart, let steps = Growth(Double(steps), Double(data.steps)) else {
            var whole = Self.whole(data)
            let overlaps = isRestart || whole.start < end - Self.overlapSeconds
            whole = isRestart && self.end != nil ? whole.part(1, from: end) : whole.after(end)
            self = StepCounter(data)
            return (whole, overlaps)
        }
        let (distance, ascended, descended) = (
            Growth.part(distance, data.distance), Growth.part(floorsAscended, data.floorsAscended),
            Growth.part(floorsDescended, data.floorsDescended)
        )
        let stretch = StepStretch(
            start: self.end ?? data.end.seconds, end: data.end.seconds, steps: steps.growth, distance: distance?.growth,
            floorsAscended: ascended?.growth,
            floorsDescended: descended?.growth)
        self.end = data.end.seconds
        self.steps = max(self.steps, data.steps)
        // A value that is not in it is kept, so that the next one gives the difference.
        self.distance = distance?.reading ?? self.distance
        floorsAscended = ascended.map { Int($0.reading) } ?? floorsAscended
        floorsDescended = descended.map { Int($0.reading) } ?? floorsDescended
        return (stretch, false)
    }

    /// Counters of one period each begin where the one before ended, give or take the clock.
    private static let overlapSeconds = 1.0
}

/// What one value of a counter has grown by, and the reading from which it goes on.
private struct Growth {
    var growth: Double
    var reading: Double

    /// How far a counter may fall in a correction.
    private static let mostCorrected = (share: 0.1, value: 100.0)

    /// Nil of a fall that is no correction: the counter began anew.
    init?(_ before: Double, _ now: Double) {
        let fall = before - now
        guard fall <= 0 || (fall < before * Self.mostCorrected.share && fall < Self.mostCorrected.value) else { return nil }
        growth = max(0, -fall)
        reading = max(before, now)
    }

    private init(anew now: Double) { (growth, reading) = (now, now) }

    /// A distance beside the steps, which may begin anew by itself; nil where the reading has none.
    static func part(_ before: Double?, _ now: Double?) -> Growth? {
        now.map { now in before.flatMap { Growth($0, now) } ?? Growth(anew: now) }
    }

    /// Floors beside the steps. Of a few a correction by one is a large share.
    static func part(_ before: Int?, _ now: Int?) -> Growth? {
        if let before, let now, now < before, before - now <= 1 { return Growth(Double(before), Double(before)) }
        return part(before.map(Double.init), now.map(Double.init))
    }
}
