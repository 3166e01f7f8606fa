internal import GatewayPipeline

extension GatewayConfiguration {
    /// How the gateway reaches the broker: a connection for each lane that receives, and one that publishes.
    package struct MQTT: Sendable, Equatable {
        /// The broker's host name or address, or those of a cluster's brokers with commas between them, each with a port of its own behind
        /// a colon or none; default 127.0.0.1. An address avoids a name lookup on every reconnect.
        package var host = "127.0.0.1"
        /// The TCP port of brokers without one in ``host``, 1 to 65,535; default 1883. Enabling TLS does not change it: 8883 is usual there.
        package var port = 1883
        /// The protocol version; default 5, with which a broker that refuses it is connected to with 3.1.1. With 3.1.1 a refused publish cannot be distinguished from an accepted one.
        package var version = Version.v5
        /// The account of the publishing connection. Those of the receiving ones belong to their lanes.
        package var out = Identity()
        /// The account of the connection that claims the gateway's name; without a user name and certificate it is ``out``.
        package var claim = Identity()
        /// How the connections are encrypted.
        package var tls = TLS()
        /// The keep-alive interval in seconds, 5 to 65,535; default 30. A broker that stops responding is detected after about
        /// twice as long.
        package var keepAliveSeconds = 30
        /// How long the broker keeps the session of a disconnected gateway, in seconds, 1 to 4,294,967,295; default one day. MQTT
        /// 5.
        package var sessionExpirySeconds = 86_400
        /// How many unacknowledged messages the broker may send, 1 to 65,535; default 200. MQTT 5 only; the broker decides on 3.1.1.
        package var receiveMaximum = 200
        /// The largest packet accepted from the broker, in bytes, 2,048 to 268,435,455; default 300,000. MQTT 5 only; the broker
        /// drops larger ones silently.
        package var maximumPacketBytes = 300_000
        /// How many published messages may await their receipt, 1 to 1,000; default 200. Publishing pauses at the window's end.
        package var publishWindow = 200
        /// How long a batch that is not full waits for more, in milliseconds, 1 to 1,000; default 20.
        package var batchMilliseconds = 20
        /// How the gateway reconnects after a connection is lost.
        package var reconnect = Reconnect()
        /// How long the broker may take to accept what is derived from a batch, in seconds, 0.1 to 300; default 10. Then the
        /// connection is dropped and the broker delivers the batch again.
        package var publishTimeoutSeconds = 10.0
        /// How long after a session was resumed, or the gateway was behind, the broker may deliver a frame again behind newer ones, in
        /// seconds, 0 to 600; default 0. On NATS three times its `ack_wait`; 0 for brokers that deliver again at once and in order.
        package var redeliverySeconds = 0.0
        /// Whether events carry their `id` and `at` as user properties too; default false. MQTT 5 only.
        package var eventProperties = false
        /// The kinds that are published at QoS 0: what the broker or a subscriber does not get is lost; default none.
        package var qos0Kinds = KindList(names: [])

        /// Makes a section in which every setting has its default.
        package init() {}
    }
}

extension GatewayConfiguration.MQTT {
    /// Names of kinds whose messages may be lost: a list in YAML; elsewhere a text with commas, in which `none` is the empty list.
    package struct KindList: Sendable, Equatable, SettingValue {
        /// The names in the order they were written.
        package var names: [String]

        /// A list of `names`.
        package init(names: [String]) { self.names = names }

        static let kind = "a list of kinds"
        static let isList = true

        /// The kinds that may be listed, in words.
        static let possible = KindDescription.all.filter(\.mayBeLost).map(\.name).joined(separator: ", ")

        init(_ input: SettingInput) throws(SettingFault) {
            guard let items = input.itemsOfText else { throw Self.fault(input) }
            for item in items {
                let shown = SettingInput(text: item, form: .flat).shown
                guard let kind = KindDescription.all.first(where: { $0.name == item }) ?? KindDescription.named(item) else {
                    let hint = NearestKey.hint(for: item, in: KindDescription.all.map(\.name))
                    throw SettingFault(message: "lists \(shown), which is no kind\(hint)")
                }
                guard kind.mayBeLost else {
                    throw SettingFault(
                        message: "lists \(shown), of which no message may be lost; possible are \(Self.possible)")
                }
            }
            names = items
        }

        var yaml: String { "[\(names.joined(separator: ", "))]" }
    }

    /// A version of the MQTT protocol.
    package enum Version: String, Sendable, CaseIterable {
        /// MQTT 5.
        case v5 = "5"
        /// MQTT 3.1.1.
        case v311 = "3.1.1"
    }

    /// How long to wait between attempts to connect; each wait is about twice the one before, with jitter.
    package struct Reconnect: Sendable, Equatable {
        /// The first wait, in seconds, 0.01 to 60; default 0.5.
        package var initialSeconds = 0.5
        /// The longest wait, in seconds, 0.01 to 3,600; default 30.
        package var maximumSeconds = 30.0
    }
}

extension GatewayConfiguration.MQTT {
    static let settings: [Setting] =
        [
            Setting(
                "mqtt.host", \.mqtt.host, in: .brokers,
                "Where the broker is, or the brokers of a cluster, tried in turn; an address needs no name lookup"),
            Setting(
                "mqtt.port", \.mqtt.port, in: .from(1, to: 65_535),
                "The TCP port of brokers without one in mqtt.host; usually 8883 with TLS"),
            Setting(
                "mqtt.version", \.mqtt.version,
                "The protocol version; 3.1.1 is used also where the broker refuses 5; there a refused publish looks accepted"),
        ] + Identity.settings(.out) + Identity.settings(.claim) + TLS.settings + [
            Setting(
                "mqtt.keepAliveSeconds", \.mqtt.keepAliveSeconds, in: .from(5, to: 65_535), unit: "seconds",
                "The keep-alive interval; more than twice publishTimeoutSeconds"),
            Setting(
                "mqtt.sessionExpirySeconds", \.mqtt.sessionExpirySeconds, in: .from(1, to: 4_294_967_295), unit: "seconds",
                "How long the broker keeps messages for a disconnected gateway (MQTT 5)"),
            Setting(
                "mqtt.receiveMaximum", \.mqtt.receiveMaximum, in: .from(1, to: 65_535), unit: "messages",
                "How many unacknowledged messages the broker may send (MQTT 5)"),
            Setting(
                "mqtt.maximumPacketBytes", \.mqtt.maximumPacketBytes, in: .from(2_048, to: 268_435_455), unit: "bytes",
                "The largest packet the broker may send (MQTT 5)"),
            Setting(
                "mqtt.publishWindow", \.mqtt.publishWindow, in: .from(1, to: 1_000), unit: "messages",
                "How many published messages may await their receipt"),
            Setting(
                "mqtt.batchMilliseconds", \.mqtt.batchMilliseconds, in: .from(1, to: 1_000), unit: "milliseconds",
                "How long a batch that is not full waits for more"),
            Setting(
                "mqtt.reconnect.initialSeconds", \.mqtt.reconnect.initialSeconds, in: .from(0.01, to: 60), unit: "seconds",
                "The first wait before connecting again"),
            Setting(
                "mqtt.reconnect.maximumSeconds", \.mqtt.reconnect.maximumSeconds, in: .from(0.01, to: 3_600), unit: "seconds",
                "The longest wait; each is about twice the one before"),
            Setting(
                "mqtt.publishTimeoutSeconds", \.mqtt.publishTimeoutSeconds, in: .from(0.1, to: 300), unit: "seconds",
                "How long the broker may take to accept what is derived from a batch before it has to send the batch again"),
            Setting(
                "mqtt.redeliverySeconds", \.mqtt.redeliverySeconds, in: .from(0, to: 600), unit: "seconds",
                "How long frames may come again behind newer ones after a reconnection, or a delay: 3 x ack_wait on NATS, else 0"),
            Setting(
                "mqtt.eventProperties", \.mqtt.eventProperties,
                "Whether events carry their id and at as user properties too (MQTT 5)"),
            Setting(
                "mqtt.qos0Kinds", \.mqtt.qos0Kinds,
                "Kinds that are published at QoS 0, and may be lost; of those that nobody keeps: \(KindList.possible)"),
        ]
}
