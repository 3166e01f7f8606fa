import Mosquitto
import Synchronization

/// Notes the topics of what is delivered and acknowledges nothing, so that the broker delivers it to the gateway again.
final class ProbeHandler: DeliveryHandler {
    /// What was delivered, for other threads.
    final class Deliveries: Sendable {
        private let messages = Mutex<[MQTTMessage]>([])

        var count: Int { messages.withLock { $0.count } }

        func add(_ more: [MQTTMessage]) { messages.withLock { $0 += more } }

        /// Whether a message with this payload came on `topic`.
        func contains(_ topic: String, _ payload: [UInt8]) -> Bool {
            messages.withLock { $0.contains { $0.topic == topic && $0.payload == payload } }
        }
    }

    private let deliveries: Deliveries

    init(_ deliveries: Deliveries) { self.deliveries = deliveries }

    func receive(_ messages: [MQTTMessage]) { deliveries.add(messages) }

    func review(isStopping: Bool) -> DeliveryDecision { DeliveryDecision(isStopping ? .release : .hold) }
}
