/// What can be set about head poses.
package struct HeadPoseSettings: DerivationSettings {
    /// Poses a second of device time, at most.
    package var rateHertz = 10.0
    /// How long a head must be calm for a reference pose, in s. A stream may start with 0.25 s of wrong attitudes.
    package var calmSeconds = 0.3
    /// The user acceleration in G that a calm head stays under.
    package var calmAccelerationG = 0.15
    /// How far in degrees an attitude may be from the one its rotation rate predicts.
    package var agreementDegrees = 2.0
    /// The longest step in s that a rotation rate can speak for. A longer one restarts the calm time. Not a setting.
    package var maximumStepSeconds = 0.5
    /// How long a stream may be silent before its next samples must prove themselves, in s. A pose is valid that long. A setting
    /// of the headphones' connection.
    package var silenceSeconds = 2.0

    /// The defaults.
    package init() {}

    /// `derive.headPose`.
    package static let table: [DerivationSetting<Self>] = [
        .number("rateHertz", \.rateHertz, in: 0.1...100, unit: "hertz", "How often a head pose is published"),
        .number(
            "calmSeconds", \.calmSeconds, in: 0.01...60, unit: "seconds",
            "How long the head must be calm before its attitude is the reference"),
        .number(
            "calmAccelerationG", \.calmAccelerationG, in: 0.001...10, unit: "G",
            "The user acceleration under which the head is calm"),
        .number(
            "agreementDegrees", \.agreementDegrees, in: 0.01...180, unit: "degrees",
            "How far an attitude step may differ from the rotation rate's"),
    ]

    /// A pose is valid as long as the headphones are not silent.
    package mutating func adopt(from others: DeriveSettings) {
        silenceSeconds = others[HeadphoneConnectionDerivation.self].silenceSeconds
    }
}
