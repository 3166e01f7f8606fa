import TelemetryModel

/// The settings of tremor.
package struct TremorSettings: DerivationSettings {
    /// The least share of the band of tremor, 3 to 7.5 Hz, in the power from 0.5 to 7.5 Hz.
    package var bandShare = 0.6
    /// The least share of the peak, 0.75 Hz to either side, in the power from 3 to 12 Hz.
    package var peakShare = 0.3
    /// The least RMS acceleration around the peak, in G.
    package var leastG = 0.01
    /// The greatest power at a half and a third of the frequency, as part of the peak: gait and shaking have more.
    package var subharmonicShare = 0.15
    /// The RMS from 0.3 to 2.5 Hz of an arm that moves, in G.
    package var activityG = 0.08
    /// The greatest RMS of a tremor while the arm moves, in G: brushing teeth has more.
    package var greatestActionG = 0.3
    /// How long a minute waits for samples, in s of device time.
    package var waitSeconds = 5.0
    /// Whether the person consented and the wrist is known. Not configurable.
    package var isPermitted = false

    /// The defaults.
    package init() {}

    /// `derive.tremor`.
    package static let table: [DerivationSetting<Self>] = []

    /// Nothing is derived without consent, nor of a device that may be anywhere else than on a wrist.
    package func resolved(for device: DeviceFacts) -> Self {
        var settings = self
        settings.isPermitted = device.traits.consents.contains(.tremor) && device.traits.wrist != nil
        return settings
    }
}
