import JSONText
package import TelemetryModel

extension OutboundEncoder {
    /// How many bytes of a rejected payload are published.
    private static let shownPayloadBytes = 4096
    static let shownTopicCharacters = 200

    /// The message about a rejected message of a device; `count` includes the ones that were not published one by one.
    package func encode(
        _ rejection: Rejection, of message: InboundMessage, from device: DeviceID, count: Int, received: UnixTime
    ) -> OutboundMessage {
        // Two runs may be known at one instant.
        let detail = [.clockSetBack, .bootReused].contains(rejection.reason) ? rejection.detail : ""
        let id = MessageID.make(
            device: device, kind: "rejected", boot: nil, anchorMicroseconds: DeviceTime(received.seconds).microseconds,
            discriminator: rejection.reason.rawValue + detail)
        let payload = JSONWriter.object { json in
            json.field("schema", Self.schema)
            json.field("id", id)
            json.field("device", device.rawValue)
            json.field("kind", "rejected")
            json.seconds("at", received.seconds)
            json.null("deviceTime")
            json.seconds("received", received.seconds)
            json.null("source")
            json.object("derivation") { json in
                json.field("version", 1)
                json.field("config", configurationFingerprint)
            }
            json.field("quality", Quality.valid.rawValue)
            json.field("reason", rejection.reason.rawValue)
            json.field("pointer", rejection.pointer)
            json.field("detail", rejection.detail)
            if let boot = rejection.boot { json.field("boot", boot.rawValue) }
            if let sequence = rejection.sequence { json.field("seq", Int(clamping: sequence)) }
            json.field("topic", String(message.topic.unicodeScalars.prefix(Self.shownTopicCharacters)))
            json.field("payload", Base64.encode(message.payload.prefix(Self.shownPayloadBytes)))
            json.field("count", count)
        }
        return OutboundMessage(topic: topic("rejected", of: device), payload: payload, event: properties(id, received))
    }

    /// The message about a rejected message of no known device, without its payload.
    package func encode(
        _ rejection: Rejection, topic: String, gateway: Identifier, count: Int, received: UnixTime
    ) -> OutboundMessage {
        let payload = JSONWriter.object { json in
            json.field("schema", Self.schema)
            json.field("gateway", gateway.rawValue)
            json.seconds("at", received.seconds)
            json.field("reason", rejection.reason.rawValue)
            if !rejection.pointer.isEmpty { json.field("pointer", rejection.pointer) }
            json.field("detail", rejection.detail)
            json.field("topic", String(topic.unicodeScalars.prefix(Self.shownTopicCharacters)))
            json.field("count", count)
        }
        return OutboundMessage(topic: Self.rejectedTopic(of: gateway), payload: payload)
    }
}
