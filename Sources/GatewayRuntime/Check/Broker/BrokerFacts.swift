import Mosquitto

/// What is known of a broker; nil where it is not known.
struct BrokerFacts: Sendable, Equatable {
    /// Which new subscriptions get a retained message.
    enum RetainedReach: Sendable { case wildcards, exactTopics, nowhere }

    /// When unacknowledged messages come again.
    enum Redelivery: Sendable, Equatable {
        /// As soon as the session is resumed.
        case atOnce(inOrder: Bool)
        /// So many seconds after they were sent first.
        case after(seconds: Double)
        /// Not within so many seconds.
        case missing(after: Double)
    }

    /// How many messages came before the first was acknowledged.
    struct Window: Sendable, Equatable {
        var messages: Int
        /// How many the session held.
        var queued: Int
        /// How many the gateway wants; only on MQTT 5 can it say that to the broker.
        var permitted: Int

        /// Whether the broker stops by itself before it has sent as many.
        var isSmall: Bool { messages < min(queued, permitted) }
    }

    /// Whether it does what NATS alone is known to do: it has no MQTT 5, and delivers again after a time of its own.
    var isLikeNats: Bool { if case .after = redelivery { version == .v311 } else { false } }

    /// The protocol version of the connections.
    var version: MosquittoConfiguration.ProtocolVersion?
    /// What CONNACK grants.
    var terms: BrokerTerms?
    /// How long sessions that receive frames are kept, as CONNACK grants it, in seconds.
    var sessionExpirySeconds: UInt32?
    /// Which new subscriptions get retained messages.
    var retained: RetainedReach?
    /// Whether a retained message is removed when it expires.
    var expires: Bool?
    /// Whether a session is there again after its connection has ended, with what was published meanwhile.
    var keepsSession: Bool?
    /// Its window.
    var window: Window?
    /// When unacknowledged messages come again.
    var redelivery: Redelivery?
}
