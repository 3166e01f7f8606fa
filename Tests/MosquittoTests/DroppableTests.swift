import Testing

@testable import Mosquitto

@Suite("Messages that may be lost")
struct DroppableTests {
    private let now = MonotonicInstant.now

    @Test("Messages at QoS 0 take no place of others, are dropped without a connection, and count as accepted by nobody")
    func droppable() {
        var outboxes = Outboxes(window: 4)
        let messages = (0..<3).map { MQTTMessage(topic: "t", payload: [UInt8($0)], qos: .atMostOnce) }
        outboxes.append(messages, .droppable)
        outboxes.append([MQTTMessage(topic: "n", payload: [])], .normal)
        let first = outboxes.next(at: now)
        #expect(first?.place.priority == .normal)
        if let first { outboxes.published(first.message, at: first.place, as: 1, at: now) }
        for packetID in [2, 3] as [Int32] {
            guard let next = outboxes.next(at: now) else { break }
            #expect(next.place.priority == .droppable)
            outboxes.published(next.message, at: next.place, as: packetID, at: now)
        }
        outboxes.accepted(2, at: now)
        #expect(outboxes.writtenCount == 1 && outboxes.acceptedCount == 0)
        outboxes.connectionLost(at: now)
        #expect(outboxes.droppedCount == 2 && outboxes[.droppable].count == 0)
        #expect(outboxes.next(at: now)?.place.priority == .normal, "what has no receipt goes again")
    }

    @Test("Of messages at QoS 0 that wait the oldest are dropped beyond 4 MiB")
    func droppableBytes() {
        var outboxes = Outboxes(window: 4)
        for number in 0..<6 {
            outboxes.append(
                [MQTTMessage(topic: "\(number)", payload: Array(repeating: 0, count: 1 << 20), qos: .atMostOnce)], .droppable)
        }
        #expect(outboxes.droppedCount == 2 && outboxes[.droppable].count == 4)
        #expect(outboxes.next(at: now)?.message.topic == "2")
    }
}
