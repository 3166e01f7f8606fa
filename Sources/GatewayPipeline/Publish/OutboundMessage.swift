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
    /// Whether a newer message on its topic replaces it; by default those that are retained.
    package var isState: Bool
    /// Whether it waits for no other messages: a depth state.
    package var isUrgent: Bool
    /// The id and the instant of an event, published as user properties on MQTT 5; nil for none.
    package var event: EventProperties?

    /// The user properties of an event.
    package struct EventProperties: Sendable, Equatable {
        /// The message's `id`.
        package var id: String
        /// The message's `at`, as its payload has it.
        package var at: String
    }

    /// The content type of every message but the ones that clear.
    package static let contentType = "application/json"

    /// A message on `topic`.
    package init(
        topic: String, payload: [UInt8], retain: Bool = false, isState: Bool? = nil, expirySeconds: UInt32? = nil,
        isUrgent: Bool = false, event: EventProperties? = nil
    ) {
        self.topic = topic
        self.payload = payload
        self.retain = retain
        self.isState = isState ?? retain
        self.expirySeconds = expirySeconds
        self.isUrgent = isUrgent
        self.event = event
    }
}
