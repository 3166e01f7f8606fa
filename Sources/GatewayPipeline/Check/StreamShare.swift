package import TelemetryModel

/// The streams that one of several pipelines publishes for.
package struct StreamShare: Sendable, Equatable {
    /// The streams.
    package var streams: Set<StreamName>
    /// Whether it publishes rejections of messages on topics of no stream.
    package var takesUnknown: Bool

    /// A share of the streams.
    package init(streams: Set<StreamName>, takesUnknown: Bool) {
        self.streams = streams
        self.takesUnknown = takesUnknown
    }

    /// Whether its pipeline receives messages on a topic of `stream`; nil is a topic of no stream.
    func receives(_ stream: StreamName?) -> Bool {
        stream.map { streams.contains($0) || $0.concernsAllStreams } ?? takesUnknown
    }

    /// Whether its pipeline receives messages with an address.
    package func receives(_ address: TopicAddress) -> Bool {
        switch address {
        case .contract(_, let stream): receives(stream)
        case .producer(let route): streams.contains(route.stream)
        case .invalid: takesUnknown
        }
    }

    /// Adds the streams of another pipeline.
    package mutating func formUnion(_ other: Self) {
        streams.formUnion(other.streams)
        takesUnknown = takesUnknown || other.takesUnknown
    }

    /// All streams, for a single pipeline.
    package static let whole = StreamShare(streams: Set(StreamName.allCases), takesUnknown: true)
}
