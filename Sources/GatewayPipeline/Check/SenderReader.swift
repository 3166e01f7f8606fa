import TelemetryModel

/// A message that is not admitted yet, with what has to be read of it to know its device.
package struct ArrivedMessage: Sendable {
    /// The message.
    package let message: InboundMessage
    /// The producer that claims its topic; nil for a topic of the contract's own.
    package let claim: Claim?

    /// What a producer says of a message.
    package struct Claim: Sendable {
        /// The stream whose lane the message rides on.
        let stream: StreamName
        /// Who sent it; not read where the lane is another's.
        package let sender: Result<ProducerSender, Rejection>?
    }
}

/// Reads who sent the messages of producers. It keeps its parser, so each lane owns one, and no lane waits for another's payload.
package final class SenderReader {
    private let parser = JSONParser()
    private let producers: Producers
    private let limits: DecodeLimits

    /// A reader with empty buffers.
    package init(settings: PipelineSettings) {
        producers = settings.producers
        limits = settings.decode
    }

    /// A message as the admission takes it; its payload is read where a producer that is of `share` claims the topic.
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
