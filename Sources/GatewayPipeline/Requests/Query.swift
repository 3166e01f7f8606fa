/// What can be asked: a case, a line in each member, and a folder for each query.
package enum Query: Sendable, Equatable {
    /// The latest message of each kind.
    case latest(LatestQuery)
    /// The messages of a time.
    case events(EventsQuery)
    /// The recorded acceleration of a time.
    case samples(SamplesQuery)
    /// Altitude over time and distance.
    case profile(ProfileQuery)

    /// The names, as they stand in topics.
    package static let names = ["latest", "events", "samples", "profile"]

    /// The kinds that are asked for; nil for a query that is not about kinds.
    var kinds: KindFilter? {
        switch self {
        case .latest(let query): query.kinds
        case .events(let query): query.kinds
        case .samples, .profile: nil
        }
    }

    /// Reads the body of a request, an object or nil where the payload is empty.
    init(_ name: Substring, _ body: JSONNode?) throws(RequestFailure) {
        switch name {
        case "latest": self = .latest(try LatestQuery(body))
        case "events": self = .events(try EventsQuery(body))
        case "samples": self = .samples(try SamplesQuery(body))
        case "profile": self = .profile(try ProfileQuery(body))
        default: throw RequestFailure(.unknownQuery, "no query is called \(String(name).quoted)")
        }
    }
}
