import Mosquitto
import Synchronization

/// Notes what is delivered, and acknowledges nothing but the check's own messages: the broker delivers everything else to the gateway again.
final class ProbeHandler: DeliveryHandler {
    /// What was delivered, for other threads.
    final class Deliveries: Sendable {
        private let own: [UInt8]
        private let messages = Mutex<[MQTTMessage]>([])

        /// `own` is the payload of the check's messages.
        init(own: [UInt8]) { self.own = own }

        var count: Int { messages.withLock { $0.count } }

        /// Whether nothing but the check's messages was delivered.
        var areOwn: Bool { messages.withLock { $0.allSatisfy { $0.payload == own } } }

        func add(_ more: [MQTTMessage]) { messages.withLock { $0 += more } }

        /// Whether one of the check's messages came on `topic`.
        func contain(_ topic: String) -> Bool {
            messages.withLock { $0.contains { $0.topic == topic && $0.payload == own } }
        }
    }

    private let deliveries: Deliveries

    init(_ deliveries: Deliveries) { self.deliveries = deliveries }

    func receive(_ messages: [MQTTMessage]) { deliveries.add(messages) }

    /// Acknowledgements are sent as a whole: one message of a device holds all that follow.
    func review(isStopping: Bool) -> DeliveryDecision {
        if deliveries.areOwn { return DeliveryDecision(.write) }
        return DeliveryDecision(isStopping ? .release : .hold)
    }
}
