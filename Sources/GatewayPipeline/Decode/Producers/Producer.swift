package import TelemetryModel

/// An app or a kind of device with topics and payloads of its own.
///
/// Adding one takes a folder beside this one with a type of this protocol, and a line in `Producers.kinds`.
protocol Producer: Sendable {
    /// The name of its section in the producers file, of its scope, and in messages.
    static var name: String { get }

    /// Reads its section of the producers file; problems are appended to `problems`.
    init(options: ConfigurationTree, problems: inout [TreeProblem])

    /// The topic filters of its messages, each with the stream whose lane receives them.
    var subscriptions: [ProducerSubscription] { get }

    /// The sender of a message on one of its topics. This is called before admission, so it may read the payload but must be
    /// cheap. Throws when the message names no sender.
    func sender(of message: InboundMessage, parser: JSONParser, limits: DecodeLimits) throws(Rejection) -> ProducerSender

    /// Decodes a message of a known sender.
    func decode(_ message: InboundMessage, parser: JSONParser, context: ProducerContext) throws(Rejection) -> DecodedMessage
}

/// A topic filter of a producer.
package struct ProducerSubscription: Sendable, Hashable {
    /// The filter, wildcards allowed.
    package var filter: String
    /// The stream whose lane receives its messages.
    package var stream: StreamName

    /// Whether there is a topic that both it and another filter match.
    package func overlaps(_ other: String) -> Bool { TopicFilter(filter).overlaps(TopicFilter(other)) }
}

/// The sender of a producer's message.
package enum ProducerSender: Sendable, Hashable {
    /// The topic names the device.
    case device(DeviceID)
    /// The registry binds the topic and an id in the payload to a device.
    case bound(topic: String, id: String)
    /// A program that carries the messages of these devices.
    case bridge(DeviceGroup)
}

/// Devices by their ids, or by what these begin with.
package struct DeviceGroup: Sendable, Hashable {
    /// The devices that are named.
    var devices: Set<DeviceID> = []
    /// What the ids of the others begin with; empty for all ids.
    var prefixes: Set<String> = []

    /// No device.
    init() {}

    /// Reads ids and patterns with a `*` at the end; nil where one is neither.
    init?(_ texts: [String]) {
        for text in texts {
            if let device = DeviceID(text) {
                devices.insert(device)
            } else if text.hasSuffix("*"), text.count == 1 || DeviceID(text.dropLast()) != nil {
                prefixes.insert(String(text.dropLast()))
            } else {
                return nil
            }
        }
    }

    /// Whether a device belongs to it.
    func contains(_ device: DeviceID) -> Bool {
        devices.contains(device) || prefixes.contains { device.rawValue.hasPrefix($0) }
    }
}

/// What a producer needs to decode a message beside its bytes.
package struct ProducerContext: Sendable {
    /// The limits of decoding.
    package var limits: DecodeLimits
    /// When it arrived.
    package var received: GatewayTime
}
