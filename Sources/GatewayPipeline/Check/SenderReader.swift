package import TelemetryModel

/// A message before admission, with what was read of it to identify its device.
package struct ArrivedMessage: Sendable {
    /// The message.
    package let message: InboundMessage
    /// The producer that claims its topic; nil for a topic of the contract.
    package let claim: Claim?

    /// What a producer reads of a message.
    package struct Claim: Sendable {
        /// The stream whose lane receives the message.
        let stream: StreamName
        /// The sender; nil in lanes that do not carry the stream.
        package let sender: Result<ProducerSender, Rejection>?
    }
}

extension ArrivedMessage {
    /// The device that it names, in the registry or not; nil where it names none.
    package func device(_ policy: AccessPolicy, _ layout: TopicLayout) -> DeviceID? {
        guard let claim else { return try? InboundTopic(message.topic, layout: layout).device }
        return (try? claim.sender?.get()).flatMap { policy.device(of: $0) }
    }
}

/// Reads the sender of producers' messages. It keeps its parser, so each lane owns one, and no lane waits for another's payload.
package final class SenderReader {
    private let parser = JSONParser()
    private let producers: Producers
    private let limits: DecodeLimits

    /// A reader with empty buffers.
    package init(settings: PipelineSettings) {
        producers = settings.producers
        limits = settings.decode
    }

    /// The message with its claim; the payload is read where a producer whose stream is in `share` claims the topic.
    package func read(_ message: InboundMessage, for share: StreamShare = .whole) -> ArrivedMessage {
        guard let route = producers.route(of: message.topic) else { return ArrivedMessage(message: message, claim: nil) }
        guard share.streams.contains(route.stream) else {
            return ArrivedMessage(message: message, claim: .init(stream: route.stream, sender: nil))
        }
        let sender = Result { () throws(Rejection) in
            try limits.checkSize(of: message)
            return try route.producer.sender(of: message, parser: parser, limits: limits)
        }
        return ArrivedMessage(message: message, claim: .init(stream: route.stream, sender: sender))
    }
}
