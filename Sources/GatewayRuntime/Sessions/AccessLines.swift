import GatewayConfiguration

/// The lines of the broker's ACL that the heartbeat needs, as they stand in `config/acl`.
enum HeartbeatAccess {
    /// For the account of a lane, which reads heartbeats.
    static let reading = "topic read fathom/+/heartbeat/#"
    /// For the account of `mqtt.out`, which publishes them, claims and the status.
    static let publishing = "topic readwrite fathom/#"

    /// What to change at the broker when it refuses `identity` what `line` grants.
    static func advice(_ line: String, for identity: GatewayConfiguration.MQTT.Identity) -> String {
        let place =
            if let user = identity.username {
                "below \"user \(user)\""
            } else if let certificate = identity.certificateFile {
                "for the user of the certificate \(certificate)"
            } else {
                "above the first \"user\", for clients without an account"
            }
        return "add \"\(line)\" \(place) in the broker's ACL"
    }
}

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

/// What the connection that answers requests may do.
enum RequestAccess {
    /// The line of the broker's ACL for its account, as it stands in `config/acl`; without another it could publish no reply.
    static let reading = "topic read wearables/+/query/#"
    /// The line for the replies.
    static let replying = "topic write fathom/+/reply/#"
    /// The niceness of its thread: a request must not keep a lane from running.
    static let niceness: Int32 = 15
}
