import TelemetryModel

/// The settings of paces and segments.
package struct PedometerSettings: DerivationSettings {
    /// Seconds without a step after which somebody stands, where the device does not report pauses.
    package var pauseSeconds = 5.0
    /// The time constant of pace and cadence in s.
    package var smoothingSeconds = 10.0
    /// How long a pause or resumption may be late, in s, and still be put in its place; a segment is published after it.
    package var settleSeconds = 10.0
    /// Seconds without data after which it is not known whether somebody moves.
    package var silenceSeconds = 10.0
    /// Seconds without data after which a segment has ended with the last data.
    package var endSeconds = 600.0
    /// How often an unchanged state is published, in s.
    package var refreshSeconds = 5.0
    /// Steps after a pause beyond which the report of a resumption was lost.
    package var repairSteps = 8.0
    /// The least climb in m of a segment that is a hill.
    package var hillMinimumMeters = 10.0
    /// The part of all its ups and downs that the climb of a hill makes up at least.
    package var hillShare = 0.6
    /// How far the altitude must come back from an extreme, in m; configured for altitudes.
    package var hysteresisMeters = 1.5
    /// The time constant of altitudes in s; configured for altitudes.
    package var altitudeSmoothingSeconds = 3.0
    /// Seconds by which the device's frames may be late; every timer waits that much longer. Configured for device connections.
    package var lagAllowanceSeconds = 0.0
    /// Whether the device reports pauses, by its status and the registry.
    package var tracksEvents = true
    /// Whether everything that the broker had queued is read. Not configured.
    package var isCurrent = true

    /// The defaults.
    package init() {}

    /// `derive.pedometer`.
    package static let table: [DerivationSetting<Self>] = [
        .number(
            "pauseSeconds", \.pauseSeconds, in: 1...600, unit: "seconds",
            "How long no step comes before somebody stands, where the device does not report pauses"),
        .number(
            "endSeconds", \.endSeconds, in: 60...86_400, unit: "seconds",
            "How long no data come before a segment has ended with the last data"),
        .number("hill.minimumMeters", \.hillMinimumMeters, in: 1...1_000, unit: "meters", "The least climb of a hill"),
        .number(
            "hill.share", \.hillShare, in: 0...1,
            "How much of all ups and downs of a segment the climb of a hill makes up at least"),
    ]

    /// Altitudes and late frames are other derivations'.
    package mutating func adopt(from others: DeriveSettings) {
        let altitude = others[AltitudeDerivation.self]
        hysteresisMeters = altitude.hysteresisMeters
        altitudeSmoothingSeconds = altitude.smoothingSeconds
        lagAllowanceSeconds = others[DeviceConnectionDerivation.self].lagAllowanceSeconds
    }

    /// Whether pauses are reported is the device's; with what is read so far.
    package func resolved(for device: DeviceFacts) -> Self {
        var settings = self
        settings.tracksEvents = device.traits.has(.pedometerEvents)
        settings.isCurrent = device.isCurrent
        return settings
    }
}
