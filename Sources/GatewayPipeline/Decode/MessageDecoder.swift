package import TelemetryModel

/// Reads the messages of every producer, the contract's own frames first of all.
///
/// Keeps its buffers between messages, so each worker owns one; nothing of a message outlives its call.
package struct MessageDecoder {
    let native = NativeFrameDecoder()
    private let parser = JSONParser()
    private let producers: Producers

    /// A decoder with empty buffers.
    package init(producers: Producers = Producers()) { self.producers = producers }

    /// Reads a message of the contract's own.
    func decode(_ message: InboundMessage, stream: StreamName, limits: DecodeLimits) throws(Rejection) -> DecodedMessage {
        let frame = try native.decode(
            stream: stream, payload: message.payload, contentType: message.contentType, limits: limits)
        return DecodedMessage(frame, stream: stream)
    }

    /// Reads a message of the producer that claims its topic.
    func decode(_ message: InboundMessage, context: ProducerContext) throws(Rejection) -> DecodedMessage {
        guard let producer = producers.claiming(message.topic) else {
            throw Rejection(.invalidTopic, "no producer has this topic")
        }
        guard message.payload.count <= context.limits.maximumPayloadBytes else {
            throw Rejection(
                .payloadTooLarge, "\(message.payload.count) bytes, at most \(context.limits.maximumPayloadBytes) are read")
        }
        return try producer.decode(message, parser: parser, context: context)
    }

    /// Reads a message of the producer that claims its topic, as it came from a device worn on `wrist`.
    package func decode(
        _ message: InboundMessage, receivedAt received: GatewayTime, limits: DecodeLimits = DecodeLimits(), wrist: Side? = nil
    ) throws(Rejection) -> DecodedMessage {
        try decode(message, context: ProducerContext(limits: limits, received: received, wrist: wrist))
    }
}
