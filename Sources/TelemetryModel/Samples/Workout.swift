/// The state of a workout session (`HKWorkoutSessionState`, raw 1-6).
public enum WorkoutState: Int, Sendable, Codable, CaseIterable {
    /// Not started.
    case notStarted = 1
    /// Running: the only state in which batched data are sent.
    case running = 2
    /// Ended.
    case ended = 3
    /// Paused.
    case paused = 4
    /// Prepared.
    case prepared = 5
    /// Stopped.
    case stopped = 6

    /// HealthKit's name of the case.
    public var name: String {
        switch self {
        case .notStarted: "notStarted"
        case .running: "running"
        case .ended: "ended"
        case .paused: "paused"
        case .prepared: "prepared"
        case .stopped: "stopped"
        }
    }
}

/// One change of a device's workout session.
public struct WorkoutChange: Sendable, Equatable, Codable {
    /// The state from `time` on.
    public var state: WorkoutState
    /// HealthKit's name or raw value of the activity, as the device gave it.
    public var activity: String?
    /// When the workout changed.
    public var time: DeviceTime

    /// A change at `time`.
    public init(state: WorkoutState, activity: String? = nil, time: DeviceTime) {
        self.state = state
        self.activity = activity
        self.time = time
    }
}
