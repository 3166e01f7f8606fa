/// The settings of headphone connections.
package struct HeadphoneConnectionSettings: DerivationSettings {
    /// How long connected headphones may send nothing before they are silent, in s.
    package var silenceSeconds = 2.0
    /// How late data may be without counting as silence, in s. Configured for device connections.
    package var lagAllowanceSeconds = 0.0

    /// The defaults.
    package init() {}

    /// `derive.connection.headphone`.
    package static let table: [DerivationSetting<Self>] = [
        .number(
            "silenceSeconds", \.silenceSeconds, in: 0.05...3_600, unit: "seconds",
            "How long connected headphones may send nothing before they are silent")
    ]

    /// The lag allowance applies to every timer.
    package mutating func adopt(from others: DeriveSettings) {
        lagAllowanceSeconds = others[DeviceConnectionDerivation.self].lagAllowanceSeconds
    }

    /// Seconds from the last data to the instant the state is silent.
    var limit: Double { silenceSeconds + lagAllowanceSeconds }
}

/// The settings of device connections.
package struct DeviceConnectionSettings: DerivationSettings {
    /// How long a streaming device may send nothing before it is silent, in s.
    package var silenceSeconds = 30.0
    /// How late data may arrive at the gateway without counting as silence, in s.
    package var lagAllowanceSeconds = 0.0
    /// Whether everything that the broker had queued is read. Not configured.
    package var isCurrent = true

    /// The defaults.
    package init() {}

    /// These settings, with what is read so far.
    package func resolved(for device: DeviceFacts) -> Self {
        var settings = self
        settings.isCurrent = device.isCurrent
        return settings
    }

    /// `derive.connection.device`.
    package static let table: [DerivationSetting<Self>] = [
        .number(
            "silenceSeconds", \.silenceSeconds, in: 0.05...86_400, unit: "seconds",
            "How long a streaming device may send nothing before it is silent"),
        .number(
            "lagAllowanceSeconds", \.lagAllowanceSeconds, in: 0...3_600, unit: "seconds",
            "How late frames may be without counting as silence; 10 for a watch behind a phone"),
    ]

    /// Seconds from the last data to the instant the state is silent.
    var limit: Double { silenceSeconds + lagAllowanceSeconds }
}
