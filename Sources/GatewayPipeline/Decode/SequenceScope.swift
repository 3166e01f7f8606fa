package import TelemetryModel

/// What `seq` is counted in: a stream of the contract, or the envelopes of a producer, each of which may hold frames of several
/// streams.
package struct SequenceScope: Hashable, Sendable, Codable {
    /// The stream's or the producer's name.
    package let name: String
    /// The stream; nil for envelopes.
    package let stream: StreamName?

    /// The scope of a stream's frames.
    package init(_ stream: StreamName) {
        name = stream.rawValue
        self.stream = stream
    }

    /// The scope of a producer's envelopes.
    package init(producer: String) { self.init(name: producer) }

    private init(name: String) {
        self.name = name
        stream = StreamName(rawValue: name)
    }

    /// Whether the names are equal: that of a stream is no producer's.
    package static func == (left: Self, right: Self) -> Bool {
        left.stream == right.stream && (left.stream != nil || left.name == right.name)
    }

    /// Hashes the name.
    package func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// Reads the name.
    package init(from decoder: any Decoder) throws { self.init(name: try decoder.singleValueContainer().decode(String.self)) }

    /// Writes the name.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}
