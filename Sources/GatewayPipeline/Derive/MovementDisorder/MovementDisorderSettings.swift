/// The settings of Apple's movement disorder results.
package struct MovementDisorderSettings: DerivationSettings {
    /// No settings but `enabled`.
    package static let table: [DerivationSetting<Self>] = []

    /// Whether the registry has the consent of the person.
    package var isPermitted = false

    /// The defaults.
    package init() {}

    /// With the consent of the device's entry.
    package func resolved(for device: DeviceFacts) -> Self {
        var settings = self
        settings.isPermitted = device.traits.consents.contains(.tremor)
        return settings
    }
}
