import GatewayConfiguration
import GatewayPipeline
import Mosquitto

/// Something that a gateway uses and its broker does not do, with what follows from it and what to change.
struct BrokerLack: Sendable, Equatable {
    /// What a broker may lack; the raw values are those of the status.
    enum Capability: String, Sendable, CaseIterable {
        case mqtt5, retain, maximumQoS, wildcards, sessionExpiry, retainedToWildcards, messageExpiry, sessions, redelivery, window

        /// Those that a running gateway finds out.
        static let published: [Self] = [.mqtt5, .retain, .maximumQoS, .wildcards, .sessionExpiry, .retainedToWildcards]
    }

    /// What it lacks.
    var capability: Capability
    /// Whether the gateway cannot do its work like this.
    var isProblem = false
    /// What was found, what follows, and which setting helps.
    var text: String
}

extension BrokerFacts {
    /// What the broker lacks, for a gateway with these settings.
    func lacks(for mqtt: GatewayConfiguration.MQTT) -> [BrokerLack] {
        [versionLack(mqtt)].compactMap(\.self) + termLacks(mqtt)
            + [sessionLack, retainedLack, expiryLack, redeliveryLack(mqtt), windowLack].compactMap(\.self)
    }

    private func versionLack(_ mqtt: GatewayConfiguration.MQTT) -> BrokerLack? {
        guard mqtt.version == .v5, version == .v311 else { return nil }
        return BrokerLack(
            capability: .mqtt5,
            text:
                "MQTT 5 is refused: messages do not expire, and a refused publish looks accepted; mqtt.version: \"3.1.1\" spares "
                + "the attempt")
    }

    private func termLacks(_ mqtt: GatewayConfiguration.MQTT) -> [BrokerLack] {
        guard let terms else { return [] }
        var lacks: [BrokerLack] = []
        if terms.maximumQoS == .atMostOnce {
            lacks.append(
                BrokerLack(
                    capability: .maximumQoS, isProblem: true,
                    text: "QoS 1 is refused: nothing is acknowledged, and the gateway reads nothing; allow QoS 1 at the broker"))
        }
        if !terms.retains {
            lacks.append(
                BrokerLack(
                    capability: .retain, isProblem: true,
                    text:
                        "retained messages are refused: the gateway can publish neither its claim nor states; allow them at the broker"
                ))
        }
        if !terms.allowsWildcards {
            lacks.append(
                BrokerLack(
                    capability: .wildcards, isProblem: true,
                    text: "subscriptions with wildcards are refused: the gateway cannot subscribe; allow them at the broker"))
        }
        if let granted = sessionExpirySeconds, granted < mqtt.sessionExpirySeconds {
            lacks.append(
                BrokerLack(
                    capability: .sessionExpiry,
                    text:
                        "sessions are kept for \(granted) s of \(mqtt.sessionExpirySeconds) s (mqtt.sessionExpirySeconds): what "
                        + "devices publish while the gateway is away for longer is lost; raise the broker's limit"))
        }
        return lacks
    }

    private var sessionLack: BrokerLack? {
        guard keepsSession == false else { return nil }
        return BrokerLack(
            capability: .sessions, isProblem: true,
            text:
                "sessions are not kept: what devices publish while the gateway is away is lost; allow persistent sessions at the broker"
        )
    }

    private var retainedLack: BrokerLack? {
        switch retained {
        case nil, .wildcards: nil
        case .exactTopics:
            BrokerLack(
                capability: .retainedToWildcards,
                text:
                    "retained messages are not delivered to a subscription with a wildcard: readers, the fleet page among them, learn "
                    + "a state when it changes; programs can ask for the latest one (requests.enabled)")
        case .nowhere:
            BrokerLack(
                capability: .retainedToWildcards,
                text: "retained messages are not delivered: readers learn a state when it changes, and a gateway learns of a "
                    + "claim of another only while that runs; programs can ask for the latest state (requests.enabled)")
        }
    }

    private var expiryLack: BrokerLack? {
        guard expires == false else { return nil }
        return BrokerLack(
            capability: .messageExpiry,
            text:
                "retained messages are not removed when they expire: a new reader gets a state that is no longer valid, and has to compare "
                + "its validUntil with the time")
    }

    /// How often a broker may have to deliver a frame again, each time after its time for that: NATS under load misses some.
    static let redeliveries = 3.0

    private func redeliveryLack(_ mqtt: GatewayConfiguration.MQTT) -> BrokerLack? {
        switch redelivery {
        case nil, .atOnce(inOrder: true): return nil
        case .atOnce(inOrder: false):
            return BrokerLack(
                capability: .redelivery,
                text: "unacknowledged frames come again in another order: after a reconnection frames wait for missing ones for "
                    + "limits.reorderSeconds")
        case .after(let seconds):
            let needed = Self.redeliveries * seconds.rounded()
            guard mqtt.redeliverySeconds < needed else { return nil }
            return BrokerLack(
                capability: .redelivery, isProblem: true,
                text:
                    "unacknowledged frames come again \(Int(seconds.rounded())) s after they were sent, behind newer ones: after a "
                    + "kill they are late, and published as gaps; set mqtt.redeliverySeconds to \(Int(needed)) or more")
        case .missing(let seconds):
            return BrokerLack(
                capability: .redelivery, isProblem: true,
                text: "unacknowledged frames did not come again within \(Int(seconds)) s: frames that are not committed when the "
                    + "gateway is killed are lost, or late; set mqtt.redeliverySeconds to three times the broker's time")
        }
    }

    private var windowLack: BrokerLack? {
        guard let window, window.isSmall else { return nil }
        let plural = window.messages == 1 ? "" : "s"
        return BrokerLack(
            capability: .window,
            text:
                "\(window.messages) unacknowledged frame\(plural) at most: a commit is made for so many, which limits how many a second "
                + "a lane reads; raise the broker's window (mqtt.prefetch in RabbitMQ, max_ack_pending in NATS)")
    }
}
