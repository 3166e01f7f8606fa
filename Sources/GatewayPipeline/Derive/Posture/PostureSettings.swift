/// The settings of postures and push-ups.
package struct PostureSettings: DerivationSettings {
    /// The angle to neutral over which a head is away, in degrees.
    package var awayDegrees = 15.0
    /// The angle to neutral under which it is back, in degrees.
    package var backDegrees = 10.0
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

    /// The defaults.
    package init() {}

    /// `derive.posture`.
    package static let table: [DerivationSetting<Self>] = [
        .number("awayDegrees", \.awayDegrees, in: 1...90, unit: "degrees", "The angle to neutral over which a head is away"),
        .number("backDegrees", \.backDegrees, in: 0.5...90, unit: "degrees", "The angle to neutral under which it is back"),
        .number(
            "holdSeconds", \.holdSeconds, in: 0...600, unit: "seconds", "How long a head must be away before that is published"),
        .number(
            "smoothingSeconds", \.smoothingSeconds, in: 0.1...60, unit: "seconds",
            "The time constant over which the angles are smoothed"),
        .number(
            "calmSeconds", \.calmSeconds, in: 0.5...60, unit: "seconds",
            "How long the head must be calm before its posture is neutral"),
        .number(
            "calmAccelerationG", \.calmAccelerationG, in: 0.001...10, unit: "G",
            "The user acceleration under which the head is calm"),
        .number(
            "calmDegreesPerSecond", \.calmDegreesPerSecond, in: 0.1...360, unit: "degrees a second",
            "The angular speed under which the head is calm"),
        .number(
            "proneDegrees", \.proneDegrees, in: 5...120, unit: "degrees",
            "The angle to neutral over which a head is prone; only then push-ups count"),
        .number("pushUpMeters", \.pushUpMeters, in: 0.01...1, unit: "metres", "How far the head goes down and up in a push-up"),
        .number(
            "pushUpSeconds", \.pushUpSeconds, in: 0.2...10, unit: "seconds", "The shortest time from one push-up to the next"),
        .number("minimumRepetitions", \.minimumRepetitions, in: 1...20, "The fewest push-ups that are a set"),
        .number(
            "validSeconds", \.validSeconds, in: 2...600, unit: "seconds",
            "How long a count of push-ups is valid without another; silence as long ends a set"),
    ]

    /// What must agree.
    package static let rules = [
        DerivationRule<Self>("backDegrees", "awayDegrees", agreement: "a head must be back nearer to neutral than it is away") {
            $0.backDegrees >= $0.awayDegrees
        }
    ]
}
