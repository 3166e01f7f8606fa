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
    /// That an alarm is seen.
    case acknowledge(AcknowledgeQuery)

    /// The names, as they stand in topics.
    package static let names = ["latest", "events", "samples", "profile", "acknowledge"]
    /// The members that a request of each may have, beside those of every request.
    static let members = [
        "latest": ["kinds"], "events": ["kinds", "from", "to", "limit", "after"],
        "samples": ["stream", "from", "to", "interval"],
        "profile": ["from", "to"], "acknowledge": ["alarm", "by"],
    ]
    static let commonMembers = ["reply", "correlation"]
    private static let mostMembers = 32

    /// Throws where the body of a request has a member that its query does not know: it would ask for something else than it is meant to.
    static func checkMembers(of name: Substring, _ body: JSONNode?) throws(RequestFailure) {
        guard let body, let own = members[String(name)] else { return }
        let known = own + commonMembers
        guard body.kind == .object, let unknown = body.uncheckedKeys(maximum: mostMembers).first(where: { !known.contains($0) })
        else {
            return
        }
        let hint = unknown.nearest(among: known).map { ", did you mean \($0.quoted)?" } ?? ""
        throw RequestFailure(
            .unknownField, at: "/" + unknown.pointerToken, "\(String(name)) has no field \(unknown.quoted)\(hint)")
    }

    /// The kinds that are asked for; nil for a query that is not about kinds.
    var kinds: KindFilter? {
        switch self {
        case .latest(let query): query.kinds
        case .events(let query): query.kinds
        case .samples, .profile, .acknowledge: nil
        }
    }

    /// Reads the body of a request, an object or nil where the payload is empty.
    init(_ name: Substring, _ body: JSONNode?) throws(RequestFailure) {
        switch name {
        case "latest": self = .latest(try LatestQuery(body))
        case "events": self = .events(try EventsQuery(body))
        case "samples": self = .samples(try SamplesQuery(body))
        case "profile": self = .profile(try ProfileQuery(body))
        case "acknowledge": self = .acknowledge(try AcknowledgeQuery(body))
        default: throw RequestFailure(.unknownQuery, "no query is called \(String(name).quoted)")
        }
    }
}
