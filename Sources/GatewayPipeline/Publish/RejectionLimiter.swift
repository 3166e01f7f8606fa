import TelemetryModel

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
