/// The settings of attitudes.
package struct AttitudeSettings: SampledSettings {
    /// Attitudes a second of device time, at most.
    package var rateHertz = 1.0
    /// Samples a second of device time in the series; 0 for none.
    package var seriesHertz = 0.0
    /// How long a device may be silent, in s.
    package var silenceSeconds = 2.0

    /// The defaults.
    package init() {}

    /// `derive.attitude`.
    package static let table: [DerivationSetting<Self>] = [
        .rateHertz(\.rateHertz, of: "an attitude"), .seriesHertz(\.seriesHertz, of: AttitudeSeries.name),
    ]
}
