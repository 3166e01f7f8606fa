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
