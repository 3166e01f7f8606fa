import TelemetryModel

/// The producers that are configured beside the contract's own frames.
package struct Producers: Sendable {
    /// All there are, by the names of their sections.
    static let kinds: [any Producer.Type] = [
        SensorLogger.self,
        MappedJSONProducer.self,
        PresenceProducer.self,
    ]

    private var all: [any Producer] = []

    /// None.
    package init() {}

    /// The ones that have a section in `options`, the whole producers file; what is wrong is reported to `problems`.
    package init(_ options: ProducerOptions, problems: inout [ProducerProblem]) {
        options.expectKeys(Self.kinds.map { $0.name }, problems: &problems)
        for kind in Self.kinds {
            if let section = options[kind.name] { all.append(kind.init(options: section, problems: &problems)) }
        }
    }

    /// The topic filters of all.
    package var subscriptions: [ProducerSubscription] { all.flatMap(\.subscriptions) }

    /// The names of all there are.
    package static var kindNames: [String] { kinds.map { $0.name } }

    /// The names of all.
    package var names: [String] { all.map { type(of: $0).name } }

    /// The name of the one that claims `topic`.
    package func name(claiming topic: String) -> String? { claiming(topic).map { type(of: $0).name } }

    /// The one that claims `topic`.
    func claiming(_ topic: String) -> (any Producer)? { all.first { $0.claims(topic) } }

    /// Who sent a message of a producer's; nil when no producer claims its topic.
    package func sender(of message: InboundMessage, limits: DecodeLimits) throws(Rejection) -> ProducerSender? {
        guard let producer = claiming(message.topic) else { return nil }
        try limits.checkSize(of: message)
        return try producer.sender(of: message, parser: JSONParser(), limits: limits)
    }

    /// The stream whose lane messages on `topic` ride on.
    func stream(of topic: String) -> StreamName? {
        subscriptions.first { TopicFilter($0.filter).matches(topic) }?.stream
    }
}
