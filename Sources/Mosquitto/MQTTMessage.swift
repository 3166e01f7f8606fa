/// The quality of service, MQTT 5 section 4.3.
package enum QoS: Int, Sendable, Comparable, CaseIterable {
    case atMostOnce = 0
    case atLeastOnce = 1
    case exactlyOnce = 2

    /// Orders by strength.
    package static func < (lhs: QoS, rhs: QoS) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// A message as it is published or as it was delivered.
///
/// Every part is a copy: nothing refers to memory of libmosquitto.
package struct MQTTMessage: Sendable, Equatable {
    /// The topic name: 1 to 65,535 bytes of UTF-8, without wildcards or NUL.
    package var topic: String

    /// The application's bytes, at most 268,435,455 of them, and never more than the broker's packet limit.
    package var payload: [UInt8]

    /// The quality of service it is published with, or was delivered with.
    package var qos: QoS

    /// To be retained when published; on delivery true only for a message kept from before the subscription.
    package var retain: Bool

    /// The MIME type of `payload`; MQTT 5 only, ignored when published on 3.1.1.
    package var contentType: String?

    /// The seconds the broker may hold the message for a subscriber; MQTT 5 only, on delivery the seconds left.
    package var messageExpirySeconds: UInt32?

    /// Whether `payload` is UTF-8, published as payload format indicator 1; MQTT 5 only, not read on delivery.
    package var isText = false

    /// User properties in their order; MQTT 5 only, not read on delivery.
    package var userProperties: [UserProperty] = []

    /// Where a reply is expected, MQTT 5 section 4.10; read on delivery only where the configuration asks for it.
    package var responseTopic: String?

    /// What a reply carries to be matched with its request, at most 65,535 bytes; read on delivery as `responseTopic`.
    package var correlationData: [UInt8]?

    /// Whether the message is dropped when the broker refuses it; any other is tried again until it is accepted.
    package var isExpendable = false

    /// Whether a newer message on its topic replaces it: of those that the broker refuses, the newest is enough.
    package var isState = false

    /// Whether it is sent while no other is in flight, as the broker may close the connection because of it.
    package var isAlone = false

    /// What `RefusedMessages.Answer` carries once the broker has accepted or refused the message, which is not tried again then; nil for any
    /// other.
    package var answerNumber: UInt64?

    /// A user property: a name and a value, each at most 65,535 bytes.
    package struct UserProperty: Sendable, Equatable {
        /// The name.
        package var name: String
        /// The value.
        package var value: String

        /// A property.
        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Creates a message; the defaults are those of telemetry: at least once, not retained, no MQTT 5 properties.
    package init(
        topic: String,
        payload: [UInt8],
        qos: QoS = .atLeastOnce,
        retain: Bool = false,
        contentType: String? = nil,
        messageExpirySeconds: UInt32? = nil
    ) {
        self.topic = topic
        self.payload = payload
        self.qos = qos
        self.retain = retain
        self.contentType = contentType
        self.messageExpirySeconds = messageExpirySeconds
    }
}

extension MQTTMessage {
    /// The size of its PUBLISH packet on MQTT 5, in bytes: section 3.3, with a packet identifier where the quality of service has one.
    package var packetBytes: Int {
        let properties = propertyBytes
        let remaining =
            2 + topic.utf8.count + (qos == .atMostOnce ? 0 : 2) + Self.lengthBytes(properties) + properties + payload.count
        return 1 + Self.lengthBytes(remaining) + remaining
    }

    private var propertyBytes: Int {
        var bytes = messageExpirySeconds == nil ? 0 : 5
        if isText { bytes += 2 }
        if let contentType { bytes += 3 + contentType.utf8.count }
        if let responseTopic { bytes += 3 + responseTopic.utf8.count }
        if let correlationData, !correlationData.isEmpty { bytes += 3 + correlationData.count }
        for property in userProperties { bytes += 5 + property.name.utf8.count + property.value.utf8.count }
        return bytes
    }

    /// The size of a variable byte integer, section 1.5.5.
    private static func lengthBytes(_ value: Int) -> Int {
        switch value {
        case ..<0x80: 1
        case ..<0x4000: 2
        case ..<0x20_0000: 3
        default: 4
        }
    }
}
