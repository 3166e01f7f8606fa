package import TelemetryModel

/// The settings of repetitions.
package struct RepetitionSettings: DerivationSettings {
    /// The activities in which repetitions are counted.
    package var activities: [ActivityName] = [
        "traditionalStrengthTraining", "functionalStrengthTraining", "coreTraining", "crossTraining",
        "highIntensityIntervalTraining",
    ]
    /// Whether repetitions are counted whatever the workout.
    package var always = false
    /// The streams that repetitions are counted from.
    package var streams: [StreamName] = [.deviceMotion, .batchedIMU]
    /// The shortest time between repetitions, in s; steps are faster.
    package var minimumPeriodSeconds = 0.7
    /// The longest time between repetitions, in s: at most three quarters of the window.
    package var maximumPeriodSeconds = 6.0
    /// The height of the autocorrelation, 0-1, over which a signal is periodic.
    package var periodicHeight = 0.5
    /// The least amplitude of gravity's direction and of acceleration, in G.
    package var amplitudeG = 0.05
    /// The least amplitude of the rotation rate, in rad/s.
    package var amplitudeRate = 0.15
    /// The fewest repetitions of a set.
    package var minimumRepetitions = 3.0
    /// How many periods without a repetition end a set.
    package var endPeriods = 1.5
    /// The least probability of an exercise, 0-1, of what is published. Not configurable.
    package var leastProbability = SetCoefficients.threshold
    /// The height of the autocorrelation of the acceleration, 0-1, over which a period of steps is walking.
    package var stepHeight = 0.5
    /// How long a count is valid without more samples, in s.
    package var validSeconds = 10.0
    /// How long a set waits for more samples, in s of device time.
    package var waitSeconds = 5.0

    /// The defaults.
    package init() {}

    /// `derive.repetition`.
    package static let table: [DerivationSetting<Self>] = [
        .streams(
            "streams", \.streams,
            "The streams that repetitions are counted from: device-motion, batched-imu and, for sets alone, recorded-accelerometer; a device that sends several counts in each"
        ),
        .activities(\.activities, of: "repetitions"),
        .always(\.always, of: "repetitions"),
        .number("minimumRepetitions", \.minimumRepetitions, in: 2...20, "The fewest repetitions that are a set"),
    ]
}
