extension GatewayConfiguration {
    /// The terminal view of `fathom watch`. The gateway itself does not use these settings.
    package struct Watch: Sendable, Equatable {
        /// The account at the broker; without a name, that of the page.
        package var account = MQTT.Identity()

        /// Makes a section in which every setting has its default.
        package init() {}
    }
}

extension GatewayConfiguration.Watch {
    static let settings = GatewayConfiguration.MQTT.Identity.settings(.watch)
}
