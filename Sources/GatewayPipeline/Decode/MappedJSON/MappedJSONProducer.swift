internal import TelemetryModel

/// Payloads of any program, mapped to the contract by tables of fields.
struct MappedJSONProducer: Producer {
    static let name = "mappings"

    private let mappings: [Mapping]

    init(options: ConfigurationTree, problems: inout [TreeProblem]) {
        var mappings: [Mapping] = []
        for table in options.items {
            guard let mapping = Mapping(table, problems: &problems) else { continue }
            if let other = mappings.first(where: { $0.name == mapping.name || $0.topic.overlaps(mapping.topic) }) {
                problems.append(
                    table.problem(
                        other.name == mapping.name
                            ? "has the name of another mapping, '\(other.name)'"
                            : "has topics that are those of '\(other.name)' too: a topic can have one mapping"))
                continue
            }
            mappings.append(mapping)
        }
        self.mappings = mappings
    }

    var subscriptions: [ProducerSubscription] {
        mappings.map { ProducerSubscription(filter: $0.topic.filter, stream: $0.stream) }
    }

    func sender(of message: InboundMessage, parser: JSONParser, limits: DecodeLimits) throws(Rejection) -> ProducerSender {
        try mapping(of: message).sender(of: message.topic)
    }

    func decode(_ message: InboundMessage, parser: JSONParser, context: ProducerContext) throws(Rejection) -> DecodedMessage {
        try mapping(of: message).decode(message, parser: parser, context: context)
    }

    private func mapping(of message: InboundMessage) throws(Rejection) -> Mapping {
        guard let mapping = mappings.first(where: { $0.topic.matches(message.topic) }) else {
            throw Rejection(.invalidTopic, "no mapping has this topic")
        }
        return mapping
    }
}
