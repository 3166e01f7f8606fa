/// The settings of orientations.
package struct OrientationSettings: SampledSettings {
    /// Orientations a second of device time, at most.
    package var rateHertz = 1.0
    /// Orientations a second of device time in the series; 0 for none.
    package var seriesHertz = 0.0
    /// How long a device may be silent, in s.
    package var silenceSeconds = 2.0

    /// The defaults.
    package init() {}

    /// `derive.orientation`.
    package static let table: [DerivationSetting<Self>] = [
        .rateHertz(\.rateHertz, to: 10, of: "an orientation"), .seriesHertz(\.seriesHertz, of: OrientationSeries.name),
    ]
}
