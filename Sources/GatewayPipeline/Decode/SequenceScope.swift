package import TelemetryModel

/// What frames of one order come in: a stream of the contract, or an envelope of some producer's that holds several.
package struct SequenceScope: Hashable, Sendable, Codable {
    /// The stream's or the producer's name.
    package let name: String

    /// The carrier of a stream's own frames.
    package init(_ stream: StreamName) { name = stream.rawValue }

    /// The carrier of a producer's envelopes.
    package init(producer: String) { name = producer }

    /// The stream; nil for an envelope.
    package var stream: StreamName? { StreamName(rawValue: name) }

    /// Reads a bare name.
    package init(from decoder: any Decoder) throws { name = try decoder.singleValueContainer().decode(String.self) }

    /// Writes a bare name.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}
