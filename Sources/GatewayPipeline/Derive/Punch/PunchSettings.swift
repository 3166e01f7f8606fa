package import TelemetryModel

/// The settings of punches.
package struct PunchSettings: DerivationSettings {
    /// The activities in which punches are counted.
    package var activities: [ActivityName] = ["boxing", "kickboxing", "martialArts"]
    /// Whether punches are counted whatever the workout.
    package var always = false
    /// The least acceleration of a punch, in G.
    package var thresholdG = 1.0
    /// The least acceleration in G that shows boxing where no workout of it is known: in daily life weaker peaks are frequent. Not
    /// configurable.
    package var boutG = 2.5
    /// How long such a punch shows it at a rate below `smoothHertz`, in s. Not configurable.
    package var boutSeconds = 30.0
    /// Under this rate, in Hz, an impact is as long and low as the push before it and the pull after it. Not configurable.
    package var smoothHertz = 40.0
    /// The time before an impact over which the speed is summed, in s.
    package var speedSeconds = 0.25
    /// The time after an impact in which the recoil is looked for, in s.
    package var recoilSeconds = 0.3
    /// How long a punch waits for samples, and for a workout that allows it, in s of device time.
    package var waitSeconds = 3.0
    /// The wrist, where it is known. Not configurable.
    package var hand: Side?

    /// The defaults.
    package init() {}

    /// Of several peaks closer together than this, in s, only the greatest counts. At 20 Hz half a second was found on people. Combinations
    /// of one hand are faster, which shows where impacts are sharp.
    func refractorySeconds(at hertz: Double) -> Double { hertz < smoothHertz ? 0.5 : 0.35 }

    /// The least peak as part of the median of the last ten.
    func leastShare(at hertz: Double) -> Double { hertz < smoothHertz ? 0.6 : 0.4 }

    /// `derive.punch`.
    package static let table: [DerivationSetting<Self>] = [
        .activities(\.activities, of: "punches"),
        .always(\.always, of: "punches"),
        .number("thresholdG", \.thresholdG, in: 0.5...50, unit: "G", "The least acceleration of a punch, without gravity"),
    ]

    /// The wrist is the device's.
    package func resolved(for device: DeviceFacts) -> Self {
        var settings = self
        settings.hand = device.traits.wrist
        return settings
    }
}
