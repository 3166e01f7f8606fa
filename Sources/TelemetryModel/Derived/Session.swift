/// When a session was, how it ended, and how much of it is known; what was counted in it is beside it.
public struct Session: Sendable, Equatable {
    /// What a session is doing.
    public enum State: String, Sendable, Codable, CaseIterable {
        /// The workout runs.
        case running
        /// The workout is paused.
        case paused
        /// It is over.
        case ended
    }

    /// Why a session has ended.
    public enum End: String, Sendable, Codable, CaseIterable {
        /// The workout ended.
        case workout
        /// It lasted for a day, or, where there is no workout, nothing was derived for a while.
        case silence
        /// The device started again.
        case reboot
        /// Another workout began without an end of this one.
        case restart
    }

    /// What it is doing.
    public var state: State
    /// HealthKit's name or raw value of the activity, as the device gave it; nil where it gave none.
    public var activity: String?
    /// When it began.
    public var start: DeviceTime
    /// When it ended; nil before.
    public var end: DeviceTime?
    /// Seconds from the start to the end, or to the instant of the message.
    public var elapsedTime: Double
    /// Seconds in which the workout ran.
    public var activeTime: Double
    /// Why it has ended; nil before.
    public var endedBy: End?
    /// The part of `elapsedTime` from which no data are missing, 0 to 1.
    public var coverage: Double
    /// How often data are missing.
    public var gaps: Int
    /// How often late data have changed it after it was published as ended.
    public var revision: Int

    /// A session.
    public init(
        state: State, activity: String?, start: DeviceTime, end: DeviceTime?, elapsedTime: Double, activeTime: Double,
        endedBy: End?, coverage: Double, gaps: Int, revision: Int
    ) {
        self.state = state
        self.activity = activity
        self.start = start
        self.end = end
        self.elapsedTime = elapsedTime
        self.activeTime = activeTime
        self.endedBy = endedBy
        self.coverage = coverage
        self.gaps = gaps
        self.revision = revision
    }
}
