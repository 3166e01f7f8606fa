import JSONText
package import TelemetryModel

/// Why the broker does not accept a message of the gateway.
package enum PublishRefusal: String, Sendable, Hashable, CaseIterable {
    /// The account may not publish on the topic.
    case notAuthorized
    /// The message is larger than the broker accepts.
    case tooLarge
    /// The broker does not accept the topic's name.
    case topicInvalid
    /// A quota of the broker is used up.
    case quotaExceeded
    /// The broker closes the connection when the message is published, without a reason.
    case connectionClosed
    /// Another reason, which `detail` gives.
    case other
}

extension OutboundEncoder {
    /// The report on messages that the broker refuses, or that were discarded after that. `count` is the number since the last report.
    package func encode(
        _ refusal: PublishRefusal, _ reason: RejectionReason, detail: String, topic: String, gateway: Identifier, count: Int,
        at: UnixTime
    ) -> OutboundMessage {
        let payload = JSONWriter.object { json in
            json.field("schema", Self.schema)
            json.field("gateway", gateway.rawValue)
            json.seconds("at", at.seconds)
            json.field("reason", reason.rawValue)
            json.field("refusal", refusal.rawValue)
            json.field("detail", detail)
            json.field("topic", String(topic.unicodeScalars.prefix(Self.shownTopicCharacters)))
            json.field("count", count)
        }
        return OutboundMessage(topic: Self.rejectedTopic(of: gateway), payload: payload)
    }

    /// The topic of reports that concern no known device.
    package static func rejectedTopic(of gateway: Identifier) -> String { "fathom/\(gateway)/rejected" }
}

/// What the gateway keeps of messages that the broker refuses.
package struct RefusedFigures: Sendable, Equatable {
    /// How many topics are refused.
    package var topics = 0
    /// The first of them, in order.
    package var first: [String] = []
    /// How many messages are kept until they are accepted: events, which are dead letters, and the newest of each state.
    package var kept = 0
    /// How many messages were refused and kept, or replaced by a newer one, since the start.
    package var refused: [PublishRefusal: Int] = [:]
    /// How many kept messages were discarded to make room since the start.
    package var discarded: [PublishRefusal: Int] = [:]

    /// Nothing is refused.
    package init() {}
}
