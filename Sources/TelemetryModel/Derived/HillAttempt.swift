/// One run up or down a hill, compared with those before on the same one.
public struct HillAttempt: Sendable, Equatable {
    /// The segment that it is.
    public var segment: Segment
    /// The altitude at the end less that at the start in m.
    public var netClimb: Double
    /// The hill's number: hills of a device are numbered from 1 as they are found.
    public var hill: Int
    /// How often it has been run, this time included.
    public var attempt: Int
    /// The shortest time in s, this one included.
    public var bestDuration: Double
    /// The time in s before this one; nil of the first attempt.
    public var previousDuration: Double?
    /// The place of this time among all, from 1.
    public var rank: Int
    /// Whether no hill of the device was run before.
    public var isFirst: Bool

    /// An attempt.
    public init(
        segment: Segment, netClimb: Double, hill: Int, attempt: Int, bestDuration: Double, previousDuration: Double?,
        rank: Int, isFirst: Bool
    ) {
        self.segment = segment
        self.netClimb = netClimb
        self.hill = hill
        self.attempt = attempt
        self.bestDuration = bestDuration
        self.previousDuration = previousDuration
        self.rank = rank
        self.isFirst = isFirst
    }

    /// Metres up, or down if negative, a minute; nil of a segment without duration.
    public var verticalSpeed: Double? { segment.duration > 0 ? netClimb / segment.duration * 60 : nil }
}
