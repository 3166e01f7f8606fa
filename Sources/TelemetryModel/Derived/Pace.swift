/// How fast somebody walks or runs, and whether they move at all.
public struct Pace: Sendable, Equatable {
    /// Whether they move.
    public enum State: String, Sendable, Codable, CaseIterable {
        /// They walk or run.
        case moving
        /// They stand.
        case paused
        /// Nothing is known.
        case unknown
    }

    /// Why the state is what it is.
    public enum Cause: String, Sendable, Codable, CaseIterable {
        /// The device reported a pause or a resumption.
        case event
        /// Steps came, or none came.
        case steps
        /// No data came.
        case silence
        /// The gateway restarted.
        case restart
        /// The workout began, paused, continued or ended.
        case workout
    }

    /// Whether they move.
    public var state: State
    /// The state of the message before.
    public var previous: State
    /// Why the state is what it is.
    public var cause: Cause
    /// The smoothed pace in s/m; nil while they stand, under 0.2 m/s, and without a measured distance.
    public var pace: Double?
    /// The smoothed cadence in steps/s; nil while they stand.
    public var cadence: Double?
    /// The pace in s/m as the device has it; nil where it does not say.
    public var devicePace: Double?
    /// The totals since the count began.
    public var totals: PaceTotals

    /// A pace and the totals.
    public init(
        state: State, previous: State, cause: Cause, pace: Double? = nil, cadence: Double? = nil, devicePace: Double? = nil,
        totals: PaceTotals
    ) {
        self.state = state
        self.previous = previous
        self.cause = cause
        self.pace = pace
        self.cadence = cadence
        self.devicePace = devicePace
        self.totals = totals
    }
}

/// What was counted since the count began.
public struct PaceTotals: Sendable, Equatable, Codable {
    /// Steps.
    public var steps = 0.0
    /// Distance in m; nil where it was not measured.
    public var distance: Double?
    /// Floors climbed; nil where they were not measured.
    public var floorsAscended: Double?
    /// Floors descended; nil where they were not measured.
    public var floorsDescended: Double?
    /// Seconds of movement.
    public var movingTime = 0.0
    /// Seconds from the start of the count.
    public var elapsedTime = 0.0

    /// Nothing counted.
    public init() {}

    /// Moving time for each metre in s/m; nil where no distance was measured.
    public var movingPace: Double? { distance.flatMap { $0 > 0 ? movingTime / $0 : nil } }
}
