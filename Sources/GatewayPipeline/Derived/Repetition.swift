package import TelemetryModel

/// The signal in which repetitions are counted.
package enum RepetitionSignal: String, Sendable, Codable, CaseIterable {
    /// The direction of gravity.
    case tilt
    /// The rotation rate.
    case rotation
    /// The acceleration, gravity included.
    case acceleration
}

/// An exercise that is recognized; any other is counted without a name.
package enum Exercise: String, Sendable, Codable, CaseIterable {
    /// Push-ups, from motion of headphones.
    case pushUp
}

/// The repetitions of a set that is under way.
package struct Repetition: Sendable, Equatable, Codable {
    /// The repetitions of this set so far.
    package var count: Int
    /// The number of the set in the workout, from 1.
    package var set: Int
    /// The latest repetition.
    package var lastAt: DeviceTime
    /// The time from one to the next in s.
    package var period: Double
    /// The signal that they are counted in.
    package var signal: RepetitionSignal
    /// The exercise; nil where it is not recognized.
    package var exercise: Exercise?
}

/// A set of repetitions that has ended.
package struct RepetitionSet: Sendable, Equatable, Codable {
    /// The first repetition.
    package var start: DeviceTime
    /// The last repetition.
    package var end: DeviceTime
    /// The number of the set in the workout, from 1.
    package var set: Int
    /// How many there were.
    package var repetitions: Int
    /// The time from one to the next in s, by the autocorrelation.
    package var period: Double
    /// The standard deviation of the measured times as part of their mean; nil for fewer than three repetitions of one sense.
    package var periodSpread: Double?
    /// The angle in rad through which gravity turns, from the 5th to the 95th percentile; nil where that is not measured.
    package var rangeOfMotion: Double?
    /// The signal that they were counted in.
    package var signal: RepetitionSignal
    /// 0-1: how periodic the signal was, the height of its autocorrelation.
    package var quality01: Double
    /// 0-1: the probability that it was exercise and that the count is within one of the true one; nil where that was not measured.
    package var confidence: Double?
    /// The exercise; nil where it is not recognized.
    package var exercise: Exercise?
    /// How often the set was published before with other values: a recorded one, whose samples came late.
    package var revision = 0
}
