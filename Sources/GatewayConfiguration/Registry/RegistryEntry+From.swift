extension RegistryEntry {
    /// By which app's messages a device is heard, where their topic does not say which device it is.
    package struct From: Sendable, Equatable {
        /// The app: a section of the producers file.
        package var producer: String
        /// The topic of the messages, without wildcards.
        package var topic: String
        /// What the messages call the device.
        package var id: String
        /// Whether the app sends standardised units and signs; unset is `auto`.
        package var standardised: Standardised?
        /// The line of the registry that says so.
        package var line: Int?
    }

    /// Whether units and signs are standardised.
    package enum Standardised: String, Sendable, CaseIterable {
        /// It is measured.
        case auto
        /// They are.
        case yes = "true"
        /// They are the sensors' own.
        case no = "false"
    }
}
