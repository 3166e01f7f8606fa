/// What can be asked: a case, a line in each member, and a folder for each query.
package enum Query: Sendable, Equatable {
    /// The latest message of each kind.
    case latest(LatestQuery)

    /// The names, as they stand in topics.
    package static let names = ["latest"]

    /// Reads the body of a request, an object or nil where the payload is empty.
    init(_ name: Substring, _ body: JSONNode?) throws(RequestFailure) {
        switch name {
        case "latest": self = .latest(try LatestQuery(body))
        default: throw RequestFailure(.unknownQuery, "no query is called \(String(name).quoted)")
        }
    }
}
