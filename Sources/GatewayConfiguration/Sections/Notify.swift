extension GatewayConfiguration {
    /// What `fathom notify` needs. The gateway itself does not use these settings.
    package struct Notify: Sendable, Equatable {
        /// The folder with the alarms that somebody is still to be told of; default none, with which the command does not start.
        package var stateDirectory: String?
        /// The account at the broker, which needs to read alarms and nothing else.
        package var account = MQTT.Identity()

        /// Makes a section in which every setting has its default.
        package init() {}
    }

    /// What a tool that connects beside the gateway needs. The gateway itself does not use these settings.
    package struct Tool: Sendable, Equatable {
        /// The account at the broker.
        package var account = MQTT.Identity()

        /// Makes a section in which every setting has its default.
        package init() {}
    }
}

extension GatewayConfiguration.Notify {
    static let settings: [Setting] =
        [
            Setting(
                "notify.stateDirectory", \.notify.stateDirectory, whenNull: "fathom notify does not start", location: .anywhere,
                "The folder of fathom notify, in which alarms wait until a command has succeeded")
        ] + GatewayConfiguration.MQTT.Identity.settings(.notify)
}

extension GatewayConfiguration.Tool {
    static let settings = [.record, .simulate].flatMap(GatewayConfiguration.MQTT.Identity.settings)
}
