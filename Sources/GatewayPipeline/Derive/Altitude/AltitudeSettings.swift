internal import SignalProcessing

/// The settings of altitudes.
package struct AltitudeSettings: DerivationSettings {
    /// How far the altitude must come back from an extreme, in m, for a rise or a fall to count.
    package var hysteresisMeters = 1.5
    /// The time constant of the low-pass filter in s.
    package var smoothingSeconds = 3.0
    /// How long an altitude is valid without another, in s.
    package var validSeconds = 15.0

    /// The defaults.
    package init() {}

    /// `derive.altitude`.
    package static let table: [DerivationSetting<Self>] = [
        .number(
            "hysteresisMeters", \.hysteresisMeters, in: 0.1...100, unit: "meters",
            "How far the altitude must come back from an extreme for a rise or a fall to count")
    ]
}

/// What the weather does to a barometer: 1 hPa, or 8 m, an hour. After half an hour it no longer counts as a climb.
let weatherDrift = ZigZag.Drift(seconds: 1_800, rate: 8.0 / 3_600)
