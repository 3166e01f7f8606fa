/// Whether a device is worn, by its recorded accelerometer.
public enum WearState: String, Sendable, Codable, CaseIterable {
    /// It moves as somebody who wears it does, even asleep.
    case worn
    /// It lies still for an hour or more.
    case notWorn
    /// There are no samples.
    case unknown
}

/// A change of whether a device is worn, and the period that it ended.
public struct WearChange: Sendable, Equatable, Codable {
    /// The state from `since` on.
    public var state: WearState
    /// When it began.
    public var since: UnixTime
    /// The state before; nil for the first, the same as `state` where samples that came late have undone the change.
    public var previous: WearState?
    /// When the state before began; nil for the first.
    public var start: UnixTime?
    /// When the state before ended; nil for the first.
    public var end: UnixTime?
    /// How often the change at this instant was published before with other values.
    public var revision: Int

    /// A change.
    public init(
        state: WearState, since: UnixTime, previous: WearState?, start: UnixTime?, end: UnixTime?, revision: Int
    ) {
        self.state = state
        self.since = since
        self.previous = previous
        self.start = start
        self.end = end
        self.revision = revision
    }
}
