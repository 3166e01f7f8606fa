/// The settings of sleep.
package struct SleepSettings: DerivationSettings {
    /// How sleep and wakefulness are distinguished in a period of rest.
    package var method = SleepMethod.zAngle

    /// Whether the registry has the consent of the person.
    var isConsented = false

    /// The defaults.
    package init() {}

    /// `derive.sleep`.
    package static let table: [DerivationSetting<Self>] = [
        .choice(
            "method", \.method,
            "How sleep and wakefulness are distinguished: by the angle of the forearm, or by counts per minute (Sadeh; Cole and Kripke)"
        )
    ]

    /// With the consent of the device's entry.
    package func resolved(for device: DeviceFacts) -> Self {
        var settings = self
        settings.isConsented = device.traits.consents.contains(.sleep)
        return settings
    }
}
