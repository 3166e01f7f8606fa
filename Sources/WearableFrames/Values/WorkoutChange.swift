/// A change of the workout session.
public struct WorkoutChange: Sendable, Hashable {
    /// What the session is for.
    public enum Activity: Sendable, Hashable {
        /// HealthKit's name, such as `tennis`: at most 128 bytes.
        case name(String)
        /// The raw value of `HKWorkoutActivityType`: 0 or more.
        case rawValue(Int)
    }

    /// The state from `timestamp` on.
    public var state: WorkoutState
    /// The activity.
    public var activity: Activity?
    /// Seconds of the monotonic clock.
    public var timestamp: Double

    /// A change.
    public init(_ state: WorkoutState, activity: Activity? = nil, timestamp: Double) {
        self.state = state
        self.activity = activity
        self.timestamp = timestamp
    }
}
