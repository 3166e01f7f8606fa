extension RegistryEntry {
    /// The sender that a device is bound to, for apps whose topics do not name the device.
    package struct From: Sendable, Equatable {
        /// The app: a section of the producers file.
        package var producer: String
        /// The topic of the messages, without wildcards.
        package var topic: String
        /// The id of the device in the messages.
        package var id: String
        /// Whether the app sends standardised units and signs; unset is `auto`.
        package var standardised: Standardised?
        /// The line in the registry file, which is no part of what it says.
        package var line: Int?

        package static func == (first: Self, second: Self) -> Bool {
            (first.producer, first.topic, first.id, first.standardised)
                == (second.producer, second.topic, second.id, second.standardised)
        }
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
