/// The settings of head poses.
package struct HeadPoseSettings: DerivationSettings {
    /// Poses a second of device time, at most.
    package var rateHertz = 10.0
    /// How long a head must be calm for a reference pose, in s. A stream may start with 0.25 s of wrong attitudes.
    package var calmSeconds = 0.3
    /// The user acceleration in G that a calm head stays under.
    package var calmAccelerationG = 0.15
    /// How far in degrees an attitude may be from the one its rotation rate predicts.
    package var agreementDegrees = 2.0
    /// The longest step in s for which a rotation rate predicts the attitude. A longer one restarts the calm time. Not
    /// configurable.
    package var maximumStepSeconds = 0.5
    /// The silence in s after which samples must agree before poses are published again. A pose is valid that long. Configured
    /// for headphone connections.
    package var silenceSeconds = 2.0

    /// The defaults.
    package init() {}

    /// `derive.headPose`.
    package static let table: [DerivationSetting<Self>] = [
        .number("rateHertz", \.rateHertz, in: 0.1...100, unit: "hertz", "How often a head pose is published")
    ]

    /// A pose is valid as long as the headphones are not silent.
    package mutating func adopt(from others: DeriveSettings) {
        silenceSeconds = others[HeadphoneConnectionDerivation.self].silenceSeconds
    }
}
