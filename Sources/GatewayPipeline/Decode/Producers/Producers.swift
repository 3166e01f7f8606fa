import TelemetryModel

/// The producers that are configured beside the contract's own frames.
package struct Producers: Sendable {
    /// All there are, by the names of their sections.
    private static let kinds: [any Producer.Type] = [
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

    /// The one that claims `topic`.
    func claiming(_ topic: String) -> (any Producer)? { all.first { $0.claims(topic) } }

    /// The stream whose lane messages on `topic` ride on.
    func stream(of topic: String) -> StreamName? {
        subscriptions.first { TopicFilter($0.filter).matches(topic) }?.stream
    }
}
