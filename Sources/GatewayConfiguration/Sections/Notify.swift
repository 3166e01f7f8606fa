extension GatewayConfiguration {
    /// What `fathom notify` needs. The gateway itself does not use these settings.
    package struct Notify: Sendable, Equatable {
        /// The folder with the alarms that somebody is still to be told of; default none, with which the command does not start.
        package var stateDirectory: String?
        /// The account at the broker, which needs to read alarms and nothing else.
        package var account = MQTT.Identity()
    }

    /// What a tool that connects beside the gateway needs. The gateway itself does not use these settings.
    package struct Tool: Sendable, Equatable {
        /// The account at the broker.
        package var account = MQTT.Identity()
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

/// A variable in the environment of a command of `fathom notify`. Those without a comment have the member of the message with the name of the case.
package enum AlarmVariable: String, Sendable, CaseIterable {
    /// Of the topic.
    case device = "DEVICE"
    /// Of the topic.
    case level = "LEVEL"
    /// Where the message was published.
    case topic = "TOPIC"
    /// A line for a person.
    case text = "TEXT"
    case id = "ID"
    case alarm = "NAME"
    case severity = "SEVERITY"
    case state = "STATE"
    case since = "SINCE"
    case clearedAt = "CLEARED_AT"
    case value = "VALUE"
    case sourceKind = "SOURCE_KIND"
    case field = "FIELD"
    case count = "COUNT"

    /// Its name.
    package var name: String { "FATHOM_ALARM_\(rawValue)" }
}
