/// The settings of postures and push-ups.
package struct PostureSettings: DerivationSettings {
    /// The angle to neutral over which a head is away, in degrees.
    package var awayDegrees = 15.0
    /// The angle to neutral under which it is back, in degrees.
    package var backDegrees: Double { awayDegrees * 2 / 3 }
    /// How long it must be away before that is published, in s.
    package var holdSeconds = 10.0
    /// The time constant over which the angles are smoothed, in s.
    package var smoothingSeconds = 2.0
    /// How long a head must be calm for a neutral posture, in s.
    package var calmSeconds = 2.0
    /// The user acceleration in G under which it is calm.
    package var calmAccelerationG = 0.15
    /// The angular speed under which it is calm, in degrees/s.
    package var calmDegreesPerSecond = 15.0
    /// The angle to neutral over which a head is prone, in degrees.
    package var proneDegrees = 35.0
    /// How far a head goes down and up in a push-up, in m.
    package var pushUpMeters = 0.08
    /// The shortest time from one push-up to the next, in s.
    package var pushUpSeconds = 0.6
    /// The fewest push-ups of a set.
    package var minimumRepetitions = 3.0
    /// How long a count is valid without more samples, in s; a set ends after that.
    package var validSeconds = 10.0
    /// Angles a second of device time in the series, of 25 at most; 0 for none.
    package var seriesHertz = 0.0

    /// The defaults.
    package init() {}

    /// `derive.posture`.
    package static let table: [DerivationSetting<Self>] = [
        .number("awayDegrees", \.awayDegrees, in: 1...90, unit: "degrees", "The angle to neutral over which a head is away"),
        .number(
            "holdSeconds", \.holdSeconds, in: 0...600, unit: "seconds", "How long a head must be away before that is published"),
        .number("minimumRepetitions", \.minimumRepetitions, in: 1...20, "The fewest push-ups that are a set"),
        .seriesHertz(\.seriesHertz, of: PostureSeries.name),
    ]
}
