import JSONText
package import TelemetryModel

/// The query `events`: the derived messages of a device in a time, in order, as far as they are kept.
///
/// Request: `{"kinds": ["segment"], "from": 1763700000, "to": 1763786400, "limit": 100, "after": {…}}`; `after` is `next` of the reply
/// before.
package struct EventsQuery: Sendable, Equatable {
    private static let mostEvents = 1_000
    private static let usualEvents = 100
    private static let longest = 3_660 * HistoryDay.seconds
    /// How much of a reply messages may take, in bytes.
    private static let mostBytes = 200_000

    /// Where a reply ended.
    package struct Place: Sendable, Equatable {
        /// The instant of its last message.
        package var at: UnixTime
        /// The id of its last message.
        package var id: String

        /// The place of a message.
        package init(at: UnixTime, id: String) {
            self.at = at
            self.id = id
        }
    }

    /// The kinds that are asked for.
    package let kinds: KindFilter
    /// The time.
    package let range: RequestRange
    /// How many messages at most.
    package let limit: Int
    /// The last message of the reply before; nil for the first.
    package let after: Place?

    init(_ body: JSONNode?) throws(RequestFailure) {
        do throws(Rejection) {
            kinds = try KindFilter(body)
            range = try RequestRange(body, longest: Self.longest)
            limit =
                try body?.optional("limit").map { node throws(Rejection) in
                    let limit = try node.integer()
                    guard (1...Self.mostEvents).contains(limit) else {
                        throw node.rejection(.invalidValue, "\(limit) is not 1 to \(Self.mostEvents)")
                    }
                    return limit
                } ?? Self.usualEvents
            after = try body?.optional("after").map { node throws(Rejection) in
                Place(at: try node.required("at").unixTime(), id: try node.required("id").line(maximumBytes: 32))
            }
        } catch {
            throw RequestFailure(error)
        }
    }

    /// The reply with `events` as they were published, in order; `next` where there are more, because `hasMore` says so or they do not fit.
    /// `damaged` is what cannot be read.
    package func reply(
        to request: Request, _ events: [StoredEvent], damaged: DamagedSpans = DamagedSpans(), hasMore: Bool, at now: UnixTime
    ) -> Reply {
        var (bytes, number) = (0, 0)
        for event in events {
            bytes += event.payload.count
            guard bytes <= Self.mostBytes || number == 0 else { break }
            number += 1
        }
        let shown = events.prefix(number)
        return .holding(request, at: now) { json in
            json.array("messages") { json in
                for event in shown { json.element(raw: event.payload) }
            }
            if hasMore || shown.count < events.count, let last = shown.last {
                json.object("next") { json in
                    json.seconds("at", last.at.seconds)
                    json.field("id", last.id)
                }
            } else {
                json.null("next")
            }
            damaged.write(to: &json)
        }
    }
}
