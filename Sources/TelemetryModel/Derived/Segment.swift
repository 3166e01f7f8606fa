/// One stretch of walking or running, from a resumption to a pause.
public struct Segment: Sendable, Equatable {
    /// When it began.
    public var start: DeviceTime
    /// When it ended.
    public var end: DeviceTime
    /// Steps in it.
    public var steps: Double
    /// Its distance in m; nil where none was measured.
    public var distance: Double?
    /// The part of its duration in which data came, 0 to 1.
    public var coverage: Double
    /// Its climb; nil where altitude was not measured.
    public var climb: SegmentClimb?

    /// A stretch from `start` to `end`.
    public init(
        start: DeviceTime, end: DeviceTime, steps: Double, distance: Double?, coverage: Double, climb: SegmentClimb? = nil
    ) {
        self.start = start
        self.end = end
        self.steps = steps
        self.distance = distance
        self.coverage = coverage
        self.climb = climb
    }

    /// Its length in s, 0 or more.
    public var duration: Double { max(0, end - start) }

    /// Seconds for each metre; nil without a distance.
    public var averagePace: Double? { distance.flatMap { $0 > 0 ? duration / $0 : nil } }

    /// Steps a second; nil of a segment without duration.
    public var cadence: Double? { duration > 0 ? steps / duration : nil }

    /// Metres a step; nil without a distance or without steps.
    public var stepLength: Double? { distance.flatMap { steps > 0 ? $0 / steps : nil } }
}

/// How a segment goes up and down.
public struct SegmentClimb: Sendable, Equatable {
    /// A segment that is a hill.
    public enum Hill: String, Sendable, Codable, CaseIterable {
        /// Uphill.
        case up
        /// Downhill.
        case down
    }

    /// Metres up in all.
    public var ascent: Double
    /// Metres down in all, 0 or more.
    public var descent: Double
    /// The altitude at the end less that at the start in m.
    public var netClimb: Double
    /// Which hill it is; nil where it is none.
    public var hill: Hill?
    /// `netClimb` over the distance; nil without a distance.
    public var averageGrade: Double?
    /// The pace in s/m on level ground at the same cost; nil while walking and where altitude is missing.
    public var gradeAdjustedPace: Double?
    /// The cost in kJ for each kg of body mass; nil where altitude is missing.
    public var energy: Double?

    /// A climb.
    public init(
        ascent: Double, descent: Double, netClimb: Double, hill: Hill? = nil, averageGrade: Double? = nil,
        gradeAdjustedPace: Double? = nil, energy: Double? = nil
    ) {
        self.ascent = ascent
        self.descent = descent
        self.netClimb = netClimb
        self.hill = hill
        self.averageGrade = averageGrade
        self.gradeAdjustedPace = gradeAdjustedPace
        self.energy = energy
    }
}
