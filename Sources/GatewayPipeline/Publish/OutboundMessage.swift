/// A message to be published, at QoS 1.
package struct OutboundMessage: Sendable, Equatable {
    /// The whole topic.
    package var topic: String
    /// JSON; empty clears a retained message.
    package var payload: [UInt8]
    /// Whether it is retained.
    package var retain: Bool
    /// Seconds after which the message expires, on MQTT 5; nil for never.
    package var expirySeconds: UInt32?

    /// The content type of every message but the ones that clear.
    package static let contentType = "application/json"

    /// A message on `topic`.
    package init(topic: String, payload: [UInt8], retain: Bool = false, expirySeconds: UInt32? = nil) {
        self.topic = topic
        self.payload = payload
        self.retain = retain
        self.expirySeconds = expirySeconds
    }
}
