import TelemetryModel

/// The producers that are configured beside the contract's frames.
package struct Producers: Sendable {
    /// All there are, by the names of their sections.
    static let kinds: [any Producer.Type] = [
        SensorLogger.self,
        MappedJSONProducer.self,
        PresenceProducer.self,
    ]

    /// One filter, its producer, and the stream whose lane receives its messages.
    package struct Route: Sendable {
        let filter: TopicFilter
        let stream: StreamName
        let producer: any Producer
    }

    private var all: [any Producer] = []
    /// Every message is looked up here, so filters are parsed once.
    private var routes: [Route] = []

    /// No producers.
    package init() {}

    /// The ones that have a section in `options`, the whole producers file; problems are appended to `problems`.
    package init(_ options: ConfigurationTree, problems: inout [TreeProblem]) {
        options.expectKeys(Self.kinds.map { $0.name }, problems: &problems)
        for kind in Self.kinds {
            if let section = options[kind.name] { all.append(kind.init(options: section, problems: &problems)) }
        }
        routes = all.flatMap { producer in
            producer.subscriptions.map { Route(filter: TopicFilter($0.filter), stream: $0.stream, producer: producer) }
        }
    }

    /// The topic filters of all.
    package var subscriptions: [ProducerSubscription] { all.flatMap(\.subscriptions) }

    /// The names of all there are.
    package static var kindNames: [String] { kinds.map { $0.name } }

    /// The names of all.
    package var names: [String] { all.map { type(of: $0).name } }

    /// The name of the producer that claims `topic`.
    package func name(claiming topic: String) -> String? { route(of: topic).map { type(of: $0.producer).name } }

    /// The route of `topic`; nil when no producer claims it.
    func route(of topic: String) -> Route? { routes.first { $0.filter.matches(topic) } }
}
