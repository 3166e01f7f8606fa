/// The configuration of one connection to a broker, fixed while its client exists.
package struct MosquittoConfiguration: Sendable {
    /// The protocol version; with 3.1.1 there are no properties, no reason codes and no receive maximum.
    package enum ProtocolVersion: Sendable {
        case v311
        case v5
    }

    /// A topic filter to subscribe to, and the quality of service that must be granted.
    package struct Subscription: Sendable, Equatable {
        /// The topic filter, wildcards allowed.
        package var filter: String

        /// The quality requested; a lower grant is an error. `exactlyOnce` is refused by `validate()`.
        package var qos: QoS

        /// What to change when the broker refuses it, for the log; nil for no advice.
        package var adviceIfRefused: String?

        /// Whether the connection ends when the broker refuses it; otherwise the refusal is only logged.
        package var isRequired: Bool

        /// Creates a subscription.
        package init(_ filter: String, qos: QoS = .atLeastOnce, adviceIfRefused: String? = nil, isRequired: Bool = true) {
            self.filter = filter
            self.qos = qos
            self.adviceIfRefused = adviceIfRefused
            self.isRequired = isRequired
        }
    }

    /// How long to wait before connecting again: a random part of a span that doubles with each failure.
    package struct BackOff: Sendable, Equatable {
        /// The span after the first failure, in seconds.
        package var initialSeconds: Double

        /// The longest span, in seconds.
        package var maximumSeconds: Double

        /// The longest wait after another client took the session, in seconds; nil for `maximumSeconds`.
        package var takenOverSeconds: Double?

        /// Creates a back-off; the defaults are 0.2 s doubling to 30 s.
        package init(initialSeconds: Double = 0.2, maximumSeconds: Double = 30) {
            self.initialSeconds = initialSeconds
            self.maximumSeconds = maximumSeconds
        }
    }

    /// The brokers, tried in turn; clients with one list prefer one broker. TLS verifies the certificate for the host that is tried.
    package var brokers: BrokerList

    /// The protocol version; with MQTT 5 a broker that refuses it is connected to with 3.1.1.
    package var version: ProtocolVersion = .v5

    /// The client identifier; it names the session, so it must be unique at the broker and stable over restarts.
    package var clientID: String

    /// The user name; nil for none.
    package var username: String?

    /// The password; never logged, and left out of `description`.
    package var password: String?

    /// What to change when the broker refuses the account, for the log; nil for no advice.
    package var adviceIfAccountRefused: String?

    /// The certificates to use; nil for plain TCP.
    package var tls: MosquittoTLS?

    /// The keep-alive interval in seconds, 5 to 65,535. A dead peer is detected after about twice this time, and acknowledgements
    /// must not be held for longer.
    package var keepAliveSeconds = 10

    /// Whether a session that the broker kept is discarded on connecting.
    package var cleanStart = false

    /// How long the broker keeps the session of an absent client, in seconds; MQTT 5 only.
    package var sessionExpirySeconds: UInt32 = 7 * 86_400

    /// How many unacknowledged messages the broker may send, 1 to 65,535; MQTT 5 only.
    package var receiveMaximum: UInt16 = 200

    /// The largest packet the broker may send us, in bytes; MQTT 5 only.
    package var maximumPacketSize: UInt32 = 1 << 20

    /// What to subscribe to. A client without subscriptions, or with QoS 0 alone, acknowledges nothing and reads at any time. Filters of an earlier configuration stay with a kept
    /// session unless `unsubscriptions` names them.
    package var subscriptions: [Subscription]

    /// The filters to remove from a kept session, before it is subscribed to `subscriptions`.
    package var unsubscriptions: [String] = []

    /// Whether response topic and correlation data of delivered messages are read; default false, as each costs a search.
    package var readsRequestProperties = false

    /// The message the broker publishes when the connection ends without a DISCONNECT.
    package var will: MQTTMessage?

    /// The most messages in a batch. With TLS a batch may exceed it by what one record holds.
    package var batchLimit = 200

    /// The longest time spent reading one batch, in milliseconds.
    package var batchMilliseconds = 20

    /// How long nothing is read after a batch that left nothing in the socket, in milliseconds; default 0. What comes meanwhile is one
    /// batch: a message then costs less, and is late by as much at the most. `DeliveryDecision.gathersFrom` says when it is not done.
    package var gatherMilliseconds = 0

    /// The share of a processor that the thread has to use before it gathers, 0 to 1: less busy, it reads at once.
    package var gathersAbove = 0.25

    /// The most messages handed to libmosquitto without a receipt, 1 to 60,000: its packet identifiers wrap unchecked.
    package var publishWindow = 500

    /// What the client asks before it connects and publishes; nil for no limit. Acknowledgements are the handler's.
    package var fence: (any ConnectionFence)?

    /// The wait before each new connection attempt.
    package var backOff = BackOff()

    /// The longest time from opening the socket to the last SUBACK, in seconds.
    package var connectTimeoutSeconds = 10.0

    /// The longest time that CONNACK is waited for where another broker can be tried, in seconds; twice as long in each further round, and
    /// at most `connectTimeoutSeconds`.
    package var nextBrokerSeconds = 1.0

    /// The longest time `stop` waits for acknowledgements that are held and for receipts, in seconds.
    package var drainTimeoutSeconds = 5.0

    /// The name of the thread, of which Linux shows the first 15 bytes.
    package var threadName = "mqtt"

    /// The niceness of the thread, 0 to 19: the higher, the lower its priority.
    package var niceness: Int32 = 0

    /// A durable ingress session with the defaults of the properties.
    package init(brokers: BrokerList, clientID: String, subscriptions: [Subscription] = []) {
        self.brokers = brokers
        self.clientID = clientID
        self.subscriptions = subscriptions
    }
}

extension MosquittoConfiguration {
    /// Whether what is delivered has to be acknowledged: not with QoS 0 alone.
    var acknowledges: Bool { subscriptions.contains { $0.qos != .atMostOnce } }
}

extension MosquittoConfiguration: CustomStringConvertible, CustomReflectable {
    /// The addresses, version and client identifier.
    package var description: String {
        "\(clientID)@\(brokers.addresses.map(\.description).joined(separator: ",")) (\(version == .v5 ? "mqtt 5" : "mqtt 3.1.1")\(tls == nil ? "" : ", tls"))"
    }

    /// A mirror without children, so that `dump` and string interpolation cannot show the password.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension MosquittoConfiguration {
    /// Throws for values that libmosquitto or the protocol would refuse on every attempt, and for QoS 2 subscriptions.
    package func validate() throws(MosquittoError) {
        for (isWrong, problem) in problems where isWrong {
            throw MosquittoError(origin: .client, reason: "invalid configuration: \(problem)", isRetriable: false)
        }
    }

    private var problems: [(Bool, String)] {
        [
            (brokers.addresses.isEmpty, "no broker"),
            (brokers.addresses.contains { $0.host.isEmpty || $0.host.utf8.contains(0) }, "host"),
            (brokers.addresses.contains { $0.port == 0 }, "port"),
            (clientID.isEmpty || clientID.utf8.contains(0) || clientID.utf8.count > 65_535, "client identifier"),
            (!(5...65_535).contains(keepAliveSeconds), "keep-alive must be 5 to 65535 seconds"),
            (receiveMaximum == 0, "receive maximum must not be 0"),
            (maximumPacketSize == 0, "maximum packet size must not be 0"),
            (batchLimit < 1, "batch limit must be at least 1"),
            (batchMilliseconds < 0, "batch time must not be negative"),
            (gatherMilliseconds < 0, "the time between batches must not be negative"),
            (!(1...60_000).contains(publishWindow), "publish window must be 1 to 60000"),
            (!(connectTimeoutSeconds > 0), "connect time-out must be positive"),
            (!(drainTimeoutSeconds >= 0), "drain time-out must not be negative"),
            (!(backOff.initialSeconds > 0 && backOff.maximumSeconds >= backOff.initialSeconds), "back-off"),
            (password != nil && username == nil && version == .v311, "a password needs a user name on MQTT 3.1.1"),
            ((tls?.certificateFile == nil) != (tls?.keyFile == nil), "certificate and key belong together"),
            // Measured: messages that libmosquitto has confirmed with PUBREC are only in its memory, so a crash loses them.
            (subscriptions.contains { $0.qos == .exactlyOnce }, "QoS 2 subscriptions lose messages in a crash"),
            (subscriptions.contains { $0.filter.isEmpty || $0.filter.utf8.contains(0) }, "topic filter"),
        ]
    }
}

/// The certificates of a connection; the broker's certificate and name are always verified.
package struct MosquittoTLS: Sendable, Equatable {
    /// The oldest TLS version accepted.
    package enum Version: Sendable {
        case v12
        case v13
    }

    /// The path of the PEM file with the authorities the broker's certificate must chain to.
    package var caFile: String

    /// The path of our PEM certificate chain; nil when the broker requires none.
    package var certificateFile: String?

    /// The path of the unencrypted PEM key of `certificateFile`.
    package var keyFile: String?

    /// The oldest version accepted.
    package var minimumVersion: Version

    /// Creates a set of certificates. The files are read again at every connection, so they can be renewed in place.
    package init(
        caFile: String,
        certificateFile: String? = nil,
        keyFile: String? = nil,
        minimumVersion: Version = .v12
    ) {
        self.caFile = caFile
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.minimumVersion = minimumVersion
    }
}
