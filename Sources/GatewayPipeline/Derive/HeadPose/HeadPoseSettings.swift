/// The settings of head poses.
package struct HeadPoseSettings: SampledSettings {
    /// Poses a second of device time, at most.
    package var rateHertz = 1.0
    /// Poses a second of device time in the series; 0 for none.
    package var seriesHertz = 0.0
    /// How long a head must be calm for a reference pose, in s. A stream may start with 0.25 s of wrong attitudes.
    package var calmSeconds = 0.3
    /// The user acceleration in G that a calm head stays under.
    package var calmAccelerationG = 0.15
    /// The silence in s after which samples must agree before poses are published again. Configured for headphone connections.
    package var silenceSeconds = 2.0

    /// The defaults.
    package init() {}

    /// `derive.headPose`.
    package static let table: [DerivationSetting<Self>] = [
        .rateHertz(\.rateHertz, of: "a head pose"), .seriesHertz(\.seriesHertz, of: HeadPoseSeries.name),
    ]

    /// Poses are held back after the silence of headphones.
    package mutating func adopt(from others: DeriveSettings) {
        silenceSeconds = others[HeadphoneConnectionDerivation.self].silenceSeconds
    }
}
