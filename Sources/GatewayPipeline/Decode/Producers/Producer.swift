package import TelemetryModel

/// An app or a kind of device that publishes on topics and in payloads of its own.
///
/// Adding one takes a folder beside this one with a type of this protocol, and a line in `Producers.kinds`.
protocol Producer: Sendable {
    /// The name of its section in the producers file, of its carrier, and in messages.
    static var name: String { get }

    /// Reads its section of the producers file; what is wrong with that is reported to `problems`.
    init(options: ProducerOptions, problems: inout [ProducerProblem])

    /// The topic filters of its messages, each with the stream whose lane they ride on.
    var subscriptions: [ProducerSubscription] { get }

    /// Who sent a message on one of its topics. Nothing is kept for a device that is not known, so this may read the payload but
    /// must be cheap. Throws when the message names nobody.
    func sender(of message: InboundMessage, parser: JSONParser, limits: DecodeLimits) throws(Rejection) -> ProducerSender

    /// What a message of a known sender holds.
    func decode(_ message: InboundMessage, parser: JSONParser, context: ProducerContext) throws(Rejection) -> DecodedMessage
}

/// A topic filter of a producer's.
package struct ProducerSubscription: Sendable, Hashable {
    /// The filter, wildcards allowed.
    package var filter: String
    /// The stream whose lane its messages ride on.
    package var stream: StreamName

    /// Whether there is a topic that both it and another filter stand for.
    package func overlaps(_ other: String) -> Bool { TopicFilter(filter).overlaps(TopicFilter(other)) }
}

/// Who sent a producer's message.
package enum ProducerSender: Sendable, Hashable {
    /// The topic says which device it is.
    case device(DeviceID)
    /// The registry binds the topic and an id in the payload to a device.
    case bound(topic: String, id: String)
}

/// What a producer may know of a message beside its bytes.
package struct ProducerContext: Sendable {
    /// How much is read.
    package var limits: DecodeLimits
    /// When it arrived.
    package var received: GatewayTime

    /// What is known of a message that arrived at `received`.
    package init(limits: DecodeLimits, received: GatewayTime) {
        self.limits = limits
        self.received = received
    }
}

/// One thing wrong with a section of the producers file.
package struct ProducerProblem: Error, Sendable, Equatable {
    /// The key path.
    package var path: String
    /// The line, from 1; nil where it is not known.
    package var line: Int?
    /// What is wrong, as the rest of a sentence that starts with the path.
    package var message: String

    /// A problem of one key.
    package init(path: String, line: Int?, message: String) {
        self.path = path
        self.line = line
        self.message = message
    }
}
