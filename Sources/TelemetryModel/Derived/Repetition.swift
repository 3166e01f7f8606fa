/// The signal in which repetitions are counted.
public enum RepetitionSignal: String, Sendable, Codable, CaseIterable {
    /// The direction of gravity.
    case tilt
    /// The rotation rate.
    case rotation
    /// The acceleration, gravity included.
    case acceleration
}

/// An exercise that is recognized; any other is counted without a name.
public enum Exercise: String, Sendable, Codable, CaseIterable {
    /// Push-ups, from motion of headphones.
    case pushUp
}

/// The repetitions of a set that is under way.
public struct Repetition: Sendable, Equatable, Codable {
    /// The repetitions of this set so far.
    public var count: Int
    /// The number of the set in the workout, from 1.
    public var set: Int
    /// The latest repetition.
    public var lastAt: DeviceTime
    /// The time from one to the next in s.
    public var period: Double
    /// The signal that they are counted in.
    public var signal: RepetitionSignal
    /// The exercise; nil where it is not recognized.
    public var exercise: Exercise?

    /// Repetitions so far.
    public init(
        count: Int, set: Int, lastAt: DeviceTime, period: Double, signal: RepetitionSignal, exercise: Exercise? = nil
    ) {
        self.count = count
        self.set = set
        self.lastAt = lastAt
        self.period = period
        self.signal = signal
        self.exercise = exercise
    }
}

/// A set of repetitions that has ended.
public struct RepetitionSet: Sendable, Equatable, Codable {
    /// The first repetition.
    public var start: DeviceTime
    /// The last repetition.
    public var end: DeviceTime
    /// The number of the set in the workout, from 1.
    public var set: Int
    /// How many there were.
    public var repetitions: Int
    /// The time from one to the next in s, by the autocorrelation.
    public var period: Double
    /// The standard deviation of the measured times as part of their mean; nil for fewer than three repetitions of one sense.
    public var periodSpread: Double?
    /// The angle in rad through which gravity turns, from the 5th to the 95th percentile; nil where that is not measured.
    public var rangeOfMotion: Double?
    /// The signal that they were counted in.
    public var signal: RepetitionSignal
    /// 0-1: how periodic the signal was, the height of its autocorrelation.
    public var quality01: Double
    /// 0-1: the probability that it was exercise and that the count is within one of the true one; nil where that was not measured.
    public var confidence: Double?
    /// The exercise; nil where it is not recognized.
    public var exercise: Exercise?
    /// How often the set was published before with other values: a recorded one, whose samples came late.
    public var revision = 0

    /// A set from `start` to `end`.
    public init(
        start: DeviceTime, end: DeviceTime, set: Int, repetitions: Int, period: Double, periodSpread: Double?,
        rangeOfMotion: Double?, signal: RepetitionSignal, quality01: Double, confidence: Double? = nil,
        exercise: Exercise? = nil
    ) {
        self.start = start
        self.end = end
        self.set = set
        self.repetitions = repetitions
        self.period = period
        self.periodSpread = periodSpread
        self.rangeOfMotion = rangeOfMotion
        self.signal = signal
        self.quality01 = quality01
        self.confidence = confidence
        self.exercise = exercise
    }
}
