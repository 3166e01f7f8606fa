/// What can be set about the connection of headphones.
package struct HeadphoneConnectionSettings: DerivationSettings {
    /// How long nothing may come while connected before the state is silent, in s.
    package var silenceSeconds = 2.0
    /// How late data may be without counting as silence, in s. A setting of the device's connection.
    package var lagAllowanceSeconds = 0.0

    /// The defaults.
    package init() {}

    /// `derive.connection.headphone`.
    package static let table: [DerivationSetting<Self>] = [
        .number(
            "silenceSeconds", \.silenceSeconds, in: 0.05...3_600, unit: "seconds",
            "How long connected headphones may send nothing before they are silent")
    ]

    /// Lateness concerns every timer.
    package mutating func adopt(from others: DeriveSettings) {
        lagAllowanceSeconds = others[DeviceConnectionDerivation.self].lagAllowanceSeconds
    }

    /// Seconds from the last data to the instant the state is silent.
    var limit: Double { silenceSeconds + lagAllowanceSeconds }
}

/// What can be set about the connection of devices.
package struct DeviceConnectionSettings: DerivationSettings {
    /// How long nothing may come from a streaming device before the state is silent, in s.
    package var silenceSeconds = 30.0
    /// How late data may be on its way to the gateway without counting as silence, in s.
    package var lagAllowanceSeconds = 0.0

    /// The defaults.
    package init() {}

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
