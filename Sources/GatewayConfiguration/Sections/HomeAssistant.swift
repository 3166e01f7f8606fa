extension GatewayConfiguration {
    /// Whether devices are announced to Home Assistant, and where.
    package struct HomeAssistant: Sendable, Equatable {
        /// Whether devices are announced; default false. What was announced is removed by a start with false.
        package var discovery = false
        /// The topic levels before `device/…/config` and `status`, as in Home Assistant's MQTT integration; default `homeassistant`.
        package var prefix = "homeassistant"
    }
}

extension GatewayConfiguration.HomeAssistant {
    static let settings: [Setting] = [
        Setting(
            "homeassistant.discovery", \.homeAssistant.discovery,
            "Whether devices are announced to Home Assistant, by retained messages on {prefix}/device/{id}/config"),
        Setting(
            "homeassistant.prefix", \.homeAssistant.prefix, in: .topic,
            "The discovery prefix of Home Assistant's MQTT integration"),
    ]
}
