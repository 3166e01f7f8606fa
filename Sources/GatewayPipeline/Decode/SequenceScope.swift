package import TelemetryModel

/// What `seq` is counted in: a stream of the contract, or the envelopes of a producer, each of which may hold frames of several
/// streams.
package struct SequenceScope: Hashable, Sendable, Codable {
    /// The stream's or the producer's name.
    package let name: String

    /// The scope of a stream's frames.
    package init(_ stream: StreamName) { name = stream.rawValue }

    /// The scope of a producer's envelopes.
    package init(producer: String) { name = producer }

    /// The stream; nil for envelopes.
    package var stream: StreamName? { StreamName(rawValue: name) }

    /// Reads the name.
    package init(from decoder: any Decoder) throws { name = try decoder.singleValueContainer().decode(String.self) }

    /// Writes the name.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}
