internal import JSONText
package import TelemetryModel

/// What a query could not read of what is stored: in a reply as `damaged`, which is absent where everything was read.
package struct DamagedSpans: Sendable, Equatable {
    /// One time of which something cannot be read.
    package struct Span: Sendable, Equatable {
        /// Its first instant.
        package var from: UnixTime
        /// Its last instant.
        package var to: UnixTime
        /// How many samples or messages it had.
        package var count: Int

        /// A time.
        package init(from: UnixTime, to: UnixTime, count: Int) {
            self.from = from
            self.to = to
            self.count = count
        }
    }

    /// Spans nearer than this are one, in seconds.
    private static let nearSeconds = 60.0
    /// A reply names no more; what is more is joined to the last.
    private static let most = 256

    private var spans: [Span] = []

    /// Nothing.
    package init() {}

    /// Adds a time.
    package mutating func add(_ span: Span) { spans.append(span) }

    /// The times, in order.
    package var joined: [Span] {
        spans.sorted { ($0.from.seconds, $0.to.seconds) < ($1.from.seconds, $1.to.seconds) }.reduce(into: []) { joined, span in
            guard let last = joined.last, span.from - last.to < Self.nearSeconds || joined.count == Self.most else {
                return joined.append(span)
            }
            joined[joined.count - 1].to = max(last.to, span.to)
            joined[joined.count - 1].count = last.count.addingSaturated(span.count)
        }
    }

    func write(to json: inout JSONWriter) {
        guard !spans.isEmpty else { return }
        json.array("damaged") { json in
            for span in joined {
                json.object { json in
                    json.seconds("from", span.from.seconds)
                    json.seconds("to", span.to.seconds)
                    json.field("count", span.count)
                }
            }
        }
    }
}
