import GatewayConfiguration

/// The line of the broker's ACL that claims need, as it stands in `config/acl`.
enum ClaimAccess {
    /// For the account of claims; that of `mqtt.out` needs more.
    static let line = "topic readwrite fathom/+/claim"

    /// What to change at the broker when it refuses `identity`, the account of claims, what `line` grants.
    static func advice(
        _ line: String = line, for identity: GatewayConfiguration.MQTT.Identity, of configuration: GatewayConfiguration
    ) -> String {
        HeartbeatAccess.advice(identity == configuration.mqtt.out ? HeartbeatAccess.publishing : line, for: identity)
    }
}
