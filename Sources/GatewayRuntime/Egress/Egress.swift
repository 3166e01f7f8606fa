package import GatewayPipeline
package import Mosquitto
import Synchronization

/// A queue of messages to publish, in order; it never blocks.
package protocol OutboundSink: Sendable {
    /// Appends messages to the queue.
    func publish(_ messages: [OutboundMessage])
}

/// What the lanes publish through: the queue of one connection, and its receipts.
///
/// It is not the connection of a session: on that one the acknowledgement of a frame, which is queued first, would be
/// sent before the messages that were derived from the frame.
package struct Egress: OutboundSink {
    /// The connection itself, which all lanes share.
    package let client: MosquittoClient
    /// The priority of what is not urgent.
    private let priority: PublishPriority
    /// The epoch that messages carry; nil for none.
    private let permit: Permit?
    private let latest = LatestTicket()

    /// Publishes through `client`: urgent messages as such, the others with `priority`.
    package init(client: MosquittoClient, priority: PublishPriority = .high) {
        self.init(client: client, priority: priority, permit: nil)
    }

    init(client: MosquittoClient, priority: PublishPriority = .high, permit: Permit?) {
        self.client = client
        self.priority = priority
        self.permit = permit
    }

    /// This connection, with another priority.
    func with(priority: PublishPriority) -> Egress {
        Egress(client: client, priority: priority, permit: permit)
    }

    /// Appends messages to the outbox, at QoS 1. Those that may be lost are published at QoS 0, and nothing waits for them.
    package func publish(_ messages: [OutboundMessage]) {
        let (kept, droppable) = Self.parted(messages, by: \.mayBeLost)
        _ = enqueue(droppable, priority: .droppable)
        let (others, urgent) = Self.parted(kept, by: \.isUrgent)
        for ticket in [enqueue(urgent, priority: .urgent), enqueue(others, priority: priority)].compactMap(\.self) {
            latest.value.withLock { $0 = $0?.joined(with: ticket) ?? ticket }
        }
    }

    /// The messages that are not so, and those that are, each in their order.
    private static func parted(
        _ messages: [OutboundMessage], by isSo: (OutboundMessage) -> Bool
    ) -> (rest: [OutboundMessage], found: [OutboundMessage]) {
        guard messages.contains(where: isSo) else { return (messages, []) }
        return (messages.filter { !isSo($0) }, messages.filter(isSo))
    }

    private func enqueue(_ messages: [OutboundMessage], priority: PublishPriority) -> PublishTicket? {
        guard !messages.isEmpty else { return nil }
        // Not when a message is encoded: retained messages that are published again were encoded by an earlier owner.
        let epoch = permit?.epoch
        return client.enqueue(messages.map { MQTTMessage($0, epoch: epoch) }, priority: priority)
    }

    /// The place behind everything that this lane has published; nil for nothing.
    var lastTicket: PublishTicket? { latest.value.withLock(\.self) }

    private final class LatestTicket: Sendable {
        let value = Mutex<PublishTicket?>(nil)
    }

    /// Waits until the broker has accepted everything up to `ticket`; throws when it has not within `seconds`.
    package func settle(_ ticket: PublishTicket, within seconds: Double, clock: any GatewayClock) async throws {
        try await withThrowingTaskGroup(of: Void.self) { [client] group in
            group.addTask { try await client.settled(ticket) }
            group.addTask {
                try await clock.sleep(seconds: seconds)
                throw NotSettled(seconds: seconds)
            }
            try await group.next()
            group.cancelAll()
        }
    }
}

/// The broker did not accept derived messages in time, or the gateway must not commit.
package struct NotSettled: Error, CustomStringConvertible {
    /// How long it was waited for.
    package var seconds: Double
    /// What the gateway may do: where it is not `open`, that was waited for.
    var passage = FencePassage.open

    /// One line for a log.
    package var description: String {
        switch passage {
        case .open: "the broker did not accept derived messages within \(seconds) s"
        case .closed: "the broker did not confirm that this gateway owns its name within \(seconds) s"
        case .lost: "another gateway has taken over the name"
        }
    }
}

extension MQTTMessage {
    /// The MQTT message of an outbound message; on 3.1.1 without properties. `epoch` becomes the first member of the payload, unless that is
    /// empty: retained messages that are published again have been encoded by an earlier owner.
    package init(_ message: borrowing OutboundMessage, epoch: Int? = nil) {
        var payload = message.payload
        if let epoch { payload.insert(epoch: epoch) }
        // Not by `self.init`, after which each change of a member copies all of them.
        var made = MQTTMessage(
            topic: message.topic, payload: payload, qos: message.mayBeLost ? .atMostOnce : .atLeastOnce, retain: message.retain,
            contentType: payload.isEmpty ? nil : OutboundMessage.contentType, messageExpirySeconds: message.expirySeconds)
        made.isText = !payload.isEmpty
        made.isState = message.isState
        made.isExpendable = message.mayBeLost
        if let event = message.event {
            made.userProperties = [UserProperty(name: "id", value: event.id), UserProperty(name: "at", value: event.at)]
        }
        self = made
    }
}

extension [UInt8] {
    /// Makes an epoch the first member of a JSON object; changes nothing else.
    mutating func insert(epoch: Int) {
        if first == UInt8(ascii: "{") { insert(contentsOf: "\"epoch\":\(epoch),".utf8, at: 1) }
    }
}

extension InboundMessage {
    /// A message as it was delivered.
    package init(_ message: MQTTMessage) {
        self.init(topic: message.topic, payload: message.payload, retain: message.retain, contentType: message.contentType)
    }
}
