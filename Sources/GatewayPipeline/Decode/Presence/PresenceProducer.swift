internal import TelemetryModel

/// Reports of presence by other programs: birth messages, last wills, Bluetooth scanners.
struct PresenceProducer: Producer {
    static let name = "presence"

    private let rules: [PresenceRule]

    init(options: ConfigurationTree, problems: inout [TreeProblem]) {
        var rules: [PresenceRule] = []
        for table in options.items {
            guard let rule = PresenceRule(table, problems: &problems) else { continue }
            if let other = rules.first(where: { $0.name == rule.name }) {
                problems.append(table.problem("has the name of another rule, '\(other.name)'"))
            } else {
                rules.append(rule)
            }
        }
        self.rules = rules
    }

    var subscriptions: [ProducerSubscription] {
        rules.flatMap(\.topics).map { ProducerSubscription(filter: $0.filter, stream: .status) }
    }

    func sender(of message: InboundMessage, parser: JSONParser, limits: DecodeLimits) throws(Rejection) -> ProducerSender {
        try required(message.topic).sender(of: message, parser: parser, limits: limits)
    }

    func decode(_ message: InboundMessage, parser: JSONParser, context: ProducerContext) throws(Rejection) -> DecodedMessage {
        try required(message.topic).decode(message, parser: parser, context: context)
    }

    private func required(_ topic: String) throws(Rejection) -> PresenceRule {
        guard let rule = rules.first(where: { rule in rule.topics.contains { $0.matches(topic) } }) else {
            throw Rejection(.invalidTopic, "no presence rule has this topic")
        }
        return rule
    }
}
