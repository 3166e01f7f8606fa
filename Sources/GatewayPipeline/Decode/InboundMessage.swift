/// A message as the broker delivered it, or as a recording holds it.
package struct InboundMessage: Sendable, Equatable, Codable {
    /// The topic it came on, mount prefix included.
    package var topic: String
    /// The bytes, not decoded.
    package var payload: [UInt8]
    /// The retain flag of the delivery.
    package var retain: Bool
    /// The MQTT 5 content type, if there was one.
    package var contentType: String?

    /// A message on `topic`.
    package init(topic: String, payload: [UInt8], retain: Bool = false, contentType: String? = nil) {
        self.topic = topic
        self.payload = payload
        self.retain = retain
        self.contentType = contentType
    }
}
