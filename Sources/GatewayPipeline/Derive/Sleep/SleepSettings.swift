/// The settings of sleep.
package struct SleepSettings: DerivationSettings {
    /// No settings but `enabled`.
    package static let table: [DerivationSetting<Self>] = []

    /// Whether the registry has the consent of the person.
    var isConsented = false

    /// The defaults.
    package init() {}

    /// With the consent of the device's entry.
    package func resolved(for device: DeviceFacts) -> Self {
        var settings = self
        settings.isConsented = device.consents.contains(.sleep)
        return settings
    }
}
