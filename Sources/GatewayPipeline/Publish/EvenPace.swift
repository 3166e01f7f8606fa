import TelemetryModel

/// A limit of so many at once, and of one in each interval from then on: the generic cell rate algorithm (ITU-T I.371).
///
/// Its state is one instant on the gateway's monotonic clock: when what was counted so far would all have come at the even pace.
struct EvenPace {
    /// How often one kind of a device is published that streams without a budget lead to. A device is never refused on these streams. A backlog
    /// of a dive of five hours leads to 9,000 states, as a state is published again each two seconds.
    static let messages = EvenPace(interval: 0.1, burst: 10_000)
    /// How often a device begins a boot before its messages are published no faster than ten a second of each kind. A backlog has fewer.
    static let boots = EvenPace(interval: 1, burst: 100)

    /// The time for one, in seconds.
    let interval: Double
    /// How many at once.
    let burst: Int

    /// How much of the interval differences of instants may be wrong by.
    private static let rounding = 1e-6

    private var longest: Double { Double(burst) * interval }

    /// How far an instant is ahead. One that is further ahead than any that was counted is of another clock.
    private func ahead(_ instant: Double?, at now: Double) -> Double {
        guard let instant, instant - now <= longest + Self.rounding * interval else { return 0 }
        return max(0, instant - now)
    }

    /// Whether one more has to wait at `now`.
    func isExhausted(_ instant: Double?, at now: Double) -> Bool {
        ahead(instant, at: now) > longest - interval + Self.rounding * interval
    }

    /// The state after one more at `now`; nil where it has to wait.
    func next(after instant: Double?, at now: Double) -> Double? {
        isExhausted(instant, at: now) ? nil : now + ahead(instant, at: now) + interval
    }

    /// The state in which the next has to wait for an interval from `now` on.
    func exhausted(at now: Double) -> Double { now + longest }

    /// The state in which at most one more may come at `now`.
    func leavingOne(of instant: Double?, at now: Double) -> Double { now + max(ahead(instant, at: now), longest - interval) }

    /// When one more may come.
    func due(after instant: Double) -> Double { instant - longest + interval }
}

/// Limits published rejections for each reason, and counts the ones between.
package struct RejectionLimiter: Sendable, Equatable, Codable {
    private struct Entry: Sendable, Equatable, Codable {
        /// The state of the `EvenPace` of those that were published.
        var paced: Double
        var suppressed = 0
    }

    private var entries: [RejectionReason: Entry] = [:]

    /// No rejection yet.
    package init() {}

    /// Moves every instant of the gateway's monotonic clock by `seconds`.
    mutating func shiftMonotonic(by seconds: Double) {
        for reason in entries.keys { entries[reason]?.paced += seconds }
    }

    /// Counts `count` rejections at `monotonic` seconds, of which `burst` may be published at once; returns how many there were since the last one
    /// published, these included, or nil when this one is not to be published.
    package mutating func admit(
        _ reason: RejectionReason, count: Int = 1, at monotonic: Double, perSecond: Double, burst: Int = 1
    ) -> Int? {
        let entry = entries[reason]
        let sum = (entry?.suppressed ?? 0).addingSaturated(count)
        guard let next = EvenPace(interval: 1 / perSecond, burst: burst).next(after: entry?.paced, at: monotonic) else {
            entries[reason]?.suppressed = sum
            return nil
        }
        entries[reason] = Entry(paced: next)
        return sum
    }
}
