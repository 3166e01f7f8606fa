import GatewayConfiguration
import GatewayPipeline

/// What to change at the broker where it refuses a message of the gateway.
struct OutboundAccess {
    let configuration: GatewayConfiguration

    /// The account that publishes, for a log.
    var account: String {
        let identity = configuration.mqtt.out
        return identity.username ?? identity.certificateFile.map { "the user of the certificate \($0)" } ?? "none"
    }

    /// The line of the broker's ACL that permits a topic, as it stands in `config/acl`.
    func line(for topic: String) -> String {
        if topic.hasPrefix("fathom/") { return HeartbeatAccess.publishing }
        let prefix = "\(configuration.homeAssistant.prefix)/"
        return topic.hasPrefix(prefix)
            ? "topic write \(prefix)device/+/config" : "topic write \(configuration.gateway.root)/+/out/#"
    }

    /// What to change, as a clause.
    func advice(for topic: String, _ refusal: PublishRefusal) -> String {
        switch refusal {
        case .notAuthorized: HeartbeatAccess.advice(line(for: topic), for: configuration.mqtt.out)
        case .tooLarge:
            "raise the broker's limit of the size of messages (mosquitto: message_size_limit, max_packet_size)"
        case .topicInvalid: "the broker does not accept the topic's name: see its log"
        case .quotaExceeded: "raise the broker's quota"
        case .connectionClosed:
            "the broker gives no reason: it may not permit the topic, or the size; see its log, and use MQTT 5"
        case .other: "see the broker's log"
        }
    }
}
