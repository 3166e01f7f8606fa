package import TelemetryModel

/// Decodes frames of the contract and messages of producers.
///
/// Keeps its buffers between messages, so each lane owns one; nothing of a message is kept after a call.
package struct MessageDecoder {
    let native = NativeFrameDecoder()
    private let parser = JSONParser()
    private let producers: Producers

    /// A decoder with empty buffers.
    package init(producers: Producers = Producers()) { self.producers = producers }

    /// Decodes a message of the contract.
    package func decode(
        _ message: InboundMessage, stream: StreamName, limits: DecodeLimits
    ) throws(Rejection) -> DecodedMessage {
        let frame = try native.decode(
            stream: stream, payload: message.payload, contentType: message.contentType, limits: limits)
        return DecodedMessage(frame, stream: stream)
    }

    /// Decodes a message of the producer that claims its topic.
    package func decode(_ message: InboundMessage, context: ProducerContext) throws(Rejection) -> DecodedMessage {
        guard let route = producers.route(of: message.topic) else {
            throw Rejection(.invalidTopic, "no producer has this topic")
        }
        try context.limits.checkSize(of: message)
        return try route.producer.decode(message, parser: parser, context: context)
    }
}
