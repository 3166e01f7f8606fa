package import TelemetryModel

/// Decodes frames of the contract and messages of producers.
///
/// Keeps its buffers between messages, so each lane owns one.
package final class MessageDecoder {
    private let native = NativeFrameDecoder()
    private let parser = JSONParser()
    private let producers: Producers
    private let limits: DecodeLimits

    /// A decoder with empty buffers.
    package init(producers: Producers = Producers(), limits: DecodeLimits = DecodeLimits()) {
        self.producers = producers
        self.limits = limits
    }

    /// Decodes a message of the contract that arrived at `received`; with nil for its stream, one of the producer that claims its topic.
    package func decode(
        _ message: InboundMessage, stream: StreamName?, received: GatewayTime
    ) throws(Rejection) -> DecodedMessage {
        if let stream { return try native.decode(message, stream: stream, limits: limits, received: received) }
        guard let route = producers.route(of: message.topic) else {
            throw Rejection(.invalidTopic, "no producer has this topic")
        }
        try limits.checkSize(of: message)
        return try route.producer.decode(message, parser: parser, context: ProducerContext(limits: limits, received: received))
    }

    /// The header of a message of a stream whose body need not be read; nil where it has to be.
    func glance(at message: InboundMessage) -> FrameHeader? {
        native.glance(at: message.payload, contentType: message.contentType, limits: limits)
    }

    /// The header of a message of a stream whose body was rejected; nil where it cannot be read.
    func header(of message: InboundMessage, stream: StreamName) -> FrameHeader? {
        native.header(stream: stream, payload: message.payload, contentType: message.contentType, limits: limits)
    }
}

/// The limits of a frame that is decoded.
package struct DecodeLimits: Sendable, Equatable {
    /// Bytes of a payload; 256 KiB. At most 16 MiB are ever read.
    package var maximumPayloadBytes: Int
    /// Objects and arrays inside one another, the frame itself counted; 16.
    package var maximumNesting: Int
    /// Samples in one column; 4096, about five seconds at 800 Hz.
    package var maximumSamples: Int
    /// Entries in one list of a submersion frame; 256, over a minute at 3 Hz.
    package var maximumEntries: Int

    /// The contract's limits by default.
    package init(
        maximumPayloadBytes: Int = 262_144, maximumNesting: Int = 16, maximumSamples: Int = 4096, maximumEntries: Int = 256
    ) {
        self.maximumPayloadBytes = maximumPayloadBytes
        self.maximumNesting = maximumNesting
        self.maximumSamples = maximumSamples
        self.maximumEntries = maximumEntries
    }

    /// Rejects a payload that is too large.
    func checkSize(of message: InboundMessage) throws(Rejection) {
        guard message.payload.count <= maximumPayloadBytes else {
            throw Rejection(.payloadTooLarge, "\(message.payload.count) bytes, at most \(maximumPayloadBytes) are read")
        }
    }
}
