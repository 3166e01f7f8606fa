package import GatewayPipeline
package import Mosquitto

/// An outbound dead letter: a message that the broker refuses, kept until it accepts it.
package struct OutboundLetter: Sendable {
    /// Its number, which rises; 0 before it is stored.
    package var number: Int64 = 0
    /// When it was refused, in unix seconds.
    package let at: Double
    /// Why, by kind.
    package let refusal: PublishRefusal
    /// Why, in words.
    package let detail: String
    /// Whether the reason concerns this message alone, and not every one on its topic.
    package let isOfMessage: Bool
    /// The message as it was to be published.
    package let message: MQTTMessage
}

extension OutboundLetter {
    /// The letter for a message that is refused now.
    init(_ refused: RefusedMessage, at: Double) {
        self.init(
            at: at, refusal: PublishRefusal(refused), detail: "\(refused.error)", isOfMessage: refused.scope == .ofMessage,
            message: refused.message)
    }

    /// The name of a letter for people, which `fathom deadletters` shows.
    package var name: String { "out-\(number)" }

    /// The message as a recording has it.
    package var recorded: RecordedMessage {
        RecordedMessage(
            at: at,
            message: InboundMessage(
                topic: message.topic, payload: message.payload, retain: message.retain, contentType: message.contentType))
    }

    /// The number in a name; nil where it is none of a letter.
    package static func number(in name: String) -> Int64? {
        guard name.hasPrefix("out-"), let number = Int64(name.dropFirst(4)), number > 0, name == "out-\(number)" else {
            return nil
        }
        return number
    }
}

extension PublishRefusal {
    init(_ refused: RefusedMessage) { self = refused.scope == .ofClosing ? .connectionClosed : Self(refused.error) }

    init(_ error: MosquittoError) {
        self =
            switch (error.origin, error.code) {
            case _ where error.isTooLarge: .tooLarge
            case _ where error.isTopicInvalid: .topicInvalid
            case _ where error == .closedByPeer: .connectionClosed
            case (.reasonCode, 0x87): .notAuthorized
            case (.reasonCode, 0x97): .quotaExceeded
            default: .other
            }
    }
}

extension MQTTMessage {
    private static let epochMember = Array("{\"epoch\":".utf8)

    /// The message with `epoch` in place of the one with which it was to be published: a later owner has another. One without an epoch, as of
    /// discovery, stays as it is.
    func with(epoch: Int?) -> MQTTMessage {
        guard payload.starts(with: Self.epochMember),
            let comma = payload[Self.epochMember.count...].firstIndex(where: {
                !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }),
            payload[comma] == UInt8(ascii: ",")
        else { return self }
        var message = self
        message.payload.removeSubrange(1...comma)
        if let epoch { message.payload.insert(epoch: epoch) }
        return message
    }
}
