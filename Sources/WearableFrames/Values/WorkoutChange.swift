/// A change of the workout session.
public struct WorkoutChange: Sendable, Hashable {
    /// The state of a session (`HKWorkoutSessionState`); the raw value is its name on the wire.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// Not started.
        case notStarted
        /// Running: batches are used in this state only.
        case running
        /// Ended.
        case ended
        /// Paused.
        case paused
        /// Prepared.
        case prepared
        /// Stopped.
        case stopped
    }

    /// What the session is for.
    public enum Activity: Sendable, Hashable {
        /// HealthKit's name, such as `tennis`: at most 128 bytes.
        case name(String)
        /// The raw value of `HKWorkoutActivityType`: 0 or more.
        case rawValue(Int)
    }

    /// The state from `timestamp` on.
    public var state: State
    /// The activity.
    public var activity: Activity?
    /// Seconds of the monotonic clock.
    public var timestamp: Double

    /// A change.
    public init(_ state: State, activity: Activity? = nil, timestamp: Double) {
        self.state = state
        self.activity = activity
        self.timestamp = timestamp
    }
}
