import TelemetryModel

/// Limits published rejections to one a second for each reason, and counts the ones between.
package struct RejectionLimiter: Sendable, Equatable, Codable {
    private struct Entry: Sendable, Equatable, Codable {
        var published: Double
        var suppressed = 0
    }

    private var entries: [RejectionReason: Entry] = [:]

    /// No rejection yet.
    package init() {}

    /// Moves every instant of the gateway's monotonic clock by `seconds`.
    mutating func shiftMonotonic(by seconds: Double) {
        for reason in entries.keys { entries[reason]?.published += seconds }
    }

    /// Counts one rejection at `monotonic` seconds; returns how many there were since the last one published, this one
    /// included, or nil when this one is not to be published.
    package mutating func admit(_ reason: RejectionReason, at monotonic: Double, perSecond: Double) -> Int? {
        guard let entry = entries[reason] else {
            entries[reason] = Entry(published: monotonic)
            return 1
        }
        guard monotonic - entry.published >= 1 / perSecond else {
            entries[reason]?.suppressed += 1
            return nil
        }
        entries[reason] = Entry(published: monotonic)
        return entry.suppressed + 1
    }
}
