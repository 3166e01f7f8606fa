/// A message on a request topic as it was delivered: see `RequestTopic`.
package struct RequestMessage: Sendable, Equatable {
    /// Its topic.
    package var topic: String
    /// A JSON object; empty for one without members.
    package var payload: [UInt8]
    /// Whether it was retained before the subscription; such a request may be of any time and is ignored.
    package var isRetained: Bool
    /// The MQTT 5 response topic; nil where there is none, as on 3.1.1.
    package var responseTopic: String?
    /// The MQTT 5 correlation data; nil where there are none.
    package var correlationData: [UInt8]?

    /// A message as it was delivered.
    package init(
        topic: String, payload: [UInt8], isRetained: Bool = false, responseTopic: String? = nil, correlationData: [UInt8]? = nil
    ) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
        self.responseTopic = responseTopic
        self.correlationData = correlationData
    }
}
