import GatewayConfiguration
import Mosquitto

extension BrokerTrial {
    /// What was found out, for a gateway with these settings; with what is known of the connections.
    func findings(for configuration: GatewayConfiguration, connections: BrokerFacts, advice: String) -> [Finding] {
        let mqtt = configuration.mqtt
        var facts = facts
        (facts.version, facts.terms, facts.sessionExpirySeconds) =
            (connections.version, connections.terms, connections.sessionExpirySeconds)
        let failure = reason(for: configuration, advice: advice, &facts)
        let lacks = facts.lacks(for: mqtt).map { Finding($0.isProblem ? .problem : .note, Self.subject, $0.text) }
        let good = facts.abilities(for: mqtt).map { Finding(.ok, Self.subject, $0) }
        let nats = facts.isLikeNats ? [Finding(.note, Self.subject, "if it is NATS: \(KeptSession.natsAdvice)")] : []
        return good + lacks + nats + [failure].compactMap(\.self).map { Finding(.note, Self.subject, "was not tried: \($0)") }
    }

    private static let subject = "broker"

    /// Why not everything is known.
    private func reason(for configuration: GatewayConfiguration, advice: String, _ facts: inout BrokerFacts) -> String? {
        let identity = configuration[configuration.claimAccount]
        if facts.keepsSession == false, identity == configuration.mqtt.out, identity.isNamed {
            // The connection that published may have ended the session.
            (facts.keepsSession, facts.window, facts.redelivery) = (nil, nil, nil)
            return "it may make the account the client id, and mqtt.claim has no account of its own"
        }
        guard let failure else { return nil }
        return failure == Self.nothingCame ? "\(failure); \(advice)" : failure
    }
}

extension BrokerFacts {
    /// What the broker does that the gateway uses, as clauses.
    fileprivate func abilities(for mqtt: GatewayConfiguration.MQTT) -> [String] {
        [
            terms(mqtt), retained == .wildcards ? "retained messages are delivered to a subscription with a wildcard" : nil,
            expires == true ? "a retained message is removed when it expires" : nil,
            keepsSession == true ? "a session is resumed, with what was published meanwhile" : nil, redelivery(mqtt),
            window(mqtt),
        ]
        .compactMap(\.self)
    }

    private func terms(_ mqtt: GatewayConfiguration.MQTT) -> String? {
        guard version == .v5, let seconds = sessionExpirySeconds, seconds >= mqtt.sessionExpirySeconds else { return nil }
        return "MQTT 5, sessions are kept for \(seconds) s"
    }

    private func redelivery(_ mqtt: GatewayConfiguration.MQTT) -> String? {
        switch redelivery {
        case .atOnce(inOrder: true) where mqtt.redeliverySeconds > 0:
            "unacknowledged frames come again at once, in order: mqtt.redeliverySeconds may be 0"
        case .atOnce(inOrder: true): "unacknowledged frames come again at once, in order"
        case .after(let seconds) where mqtt.redeliverySeconds >= Self.redeliveries * seconds.rounded():
            "unacknowledged frames come again \(Int(seconds.rounded())) s after they were sent first, for which "
                + "mqtt.redeliverySeconds is set"
        default: nil
        }
    }

    private func window(_ mqtt: GatewayConfiguration.MQTT) -> String? {
        guard let window, !window.isSmall else { return nil }
        return "\(window.messages) of \(window.queued) frames come before the first is acknowledged"
    }
}
