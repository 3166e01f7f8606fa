import Testing

@testable import Mosquitto

@Suite
struct OutboxTests {
    private let now = MonotonicInstant.now
    private let error = MosquittoError(origin: .reasonCode, code: 0x97, reason: "quota")

    private func retry(_ attempts: Int) -> MonotonicInstant { now + .seconds(attempts) }

    /// Publishes all that may go now, with the message's number as its packet identifier.
    private func publish(_ outbox: inout Outbox, window: Int = 10, at time: MonotonicInstant? = nil) -> [UInt64] {
        var sequences: [UInt64] = []
        while let next = outbox.next(at: time ?? now, window: window) {
            outbox.published(next.sequence, as: Int32(next.sequence))
            sequences.append(next.sequence)
        }
        return sequences
    }

    private func outbox(_ count: Int) -> Outbox {
        var outbox = Outbox()
        outbox.append((0..<count).map { MQTTMessage(topic: "t", payload: [UInt8(truncatingIfNeeded: $0)]) })
        return outbox
    }

    @Test("Messages go in order, as many as the window holds")
    func window() {
        var outbox = outbox(5)
        #expect(publish(&outbox, window: 2) == [1, 2])
        outbox.accepted(1)
        #expect(publish(&outbox, window: 2) == [3])
    }

    @Test("Receipts out of order settle in order")
    func order() {
        var outbox = outbox(3)
        _ = publish(&outbox)
        outbox.accepted(2)
        #expect(outbox.acceptedThrough == 0)
        outbox.accepted(1)
        #expect(outbox.acceptedThrough == 2)
        outbox.accepted(99)
        #expect(outbox.count == 1)
        #expect(outbox.lastSequence == 3)
    }

    @Test("After a lost connection everything without a receipt goes again, in order")
    func connectionLost() {
        var outbox = outbox(4)
        _ = publish(&outbox, window: 3)
        outbox.accepted(2)
        outbox.connectionLost()
        #expect(outbox.inFlightCount == 0)
        #expect(publish(&outbox) == [1, 3, 4])
    }

    @Test("A refused message holds up the rest and is tried again alone")
    func refused() throws {
        var outbox = outbox(4)
        _ = publish(&outbox, window: 2)
        let refusal = outbox.refused(1, error, retryAt: retry)
        let news = try #require(refusal)
        #expect(news.sequence == 1 && news.topic == "t")
        outbox.accepted(2)
        #expect(publish(&outbox) == [])
        #expect(outbox.next(at: now + .seconds(1), window: 10)?.sequence == 1)
        #expect(outbox.retryAt == now + .seconds(1))
        outbox.published(1, as: 7)
        #expect(outbox.retryAt == nil)
        #expect(outbox.next(at: now + .seconds(1), window: 10) == nil)
        #expect(outbox.refused(7, error, retryAt: retry) == nil)
        #expect(outbox.refusal?.attempts == 2)
        outbox.published(1, as: 8)
        outbox.accepted(8)
        #expect(outbox.refusal == nil)
        #expect(publish(&outbox) == [3, 4])
    }

    @Test("Of several refused at once the first is reported, whichever came first")
    func severalRefused() {
        var outbox = outbox(3)
        _ = publish(&outbox)
        #expect(outbox.refused(2, error, retryAt: retry)?.sequence == 2)
        #expect(outbox.refused(1, error, retryAt: retry)?.sequence == 1)
        #expect(outbox.refused(3, error, retryAt: retry) == nil)
        #expect(publish(&outbox, at: now + .seconds(9)) == [1])
    }

    @Test("Numbers stay right over thousands of messages")
    func compaction() {
        var outbox = outbox(5_000)
        var seen: [UInt64] = []
        while outbox.count > 0 {
            let sequences = publish(&outbox, window: 100)
            seen += sequences
            for sequence in sequences { outbox.accepted(Int32(sequence)) }
        }
        #expect(seen == Array(1...5_000))
        outbox.append([MQTTMessage(topic: "t", payload: [])])
        #expect(outbox.lastSequence == 5_001)
    }

    @Test("A refused expendable message holds up nothing, and the refusal is known until one is accepted")
    func expendable() {
        var outbox = Outbox()
        for _ in 1...2 {
            var message = MQTTMessage(topic: "t", payload: [])
            message.isExpendable = true
            outbox.append([message])
        }
        #expect(publish(&outbox) == [1, 2])
        #expect(outbox.refused(1, error, retryAt: retry) == nil)
        #expect(outbox.expendableRefusal == error)
        #expect(outbox.acceptedThrough == 1)
        outbox.accepted(2)
        #expect(outbox.expendableRefusal == nil)
    }
}

@Suite("Two outboxes as one")
struct OutboxesTests {
    private let now = MonotonicInstant.now

    private func publish(_ outboxes: inout Outboxes) -> [String] {
        var order: [String] = []
        while let next = outboxes.next(at: now) {
            outboxes.published(
                next.message, at: next.place, as: Int32(100 * order.count) + Int32(next.place.sequence), at: now)
            order.append(next.message.topic)
        }
        return order
    }

    @Test("An urgent message goes before normal ones that were there first, even when they fill their part of the window")
    func urgentFirst() {
        var outboxes = Outboxes(window: 4)
        outboxes[.normal].append((0..<8).map { MQTTMessage("normal", "\($0)") })
        #expect(publish(&outboxes) == ["normal", "normal", "normal"])
        outboxes[.urgent].append([MQTTMessage("urgent", "1"), MQTTMessage("urgent", "2")])
        #expect(publish(&outboxes) == ["urgent"])
    }

    @Test("One of high priority goes behind urgent ones and before normal ones, and has no part of the window for itself")
    func high() {
        var outboxes = Outboxes(window: 8)
        outboxes[.normal].append((0..<8).map { MQTTMessage("normal", "\($0)") })
        outboxes[.high].append([MQTTMessage("high", "1"), MQTTMessage("high", "2")])
        outboxes[.urgent].append([MQTTMessage("urgent", "1")])
        #expect(publish(&outboxes) == ["urgent", "high", "high", "normal", "normal"])
        outboxes[.urgent].append([MQTTMessage("urgent", "2")])
        #expect(publish(&outboxes) == ["urgent"])
    }

    @Test("A ticket of several priorities is settled when each is")
    func joinedTicket() {
        let wakeUp = WakeUp()
        let queue = PublishQueue(window: 4, wakeUp: wakeUp)
        let urgent = queue.append([MQTTMessage("urgent", "1")], priority: .urgent)
        let both = queue.append([MQTTMessage("high", "1")], priority: .high).joined(with: urgent)
        queue.withOutboxes { outboxes in
            _ = publish(&outboxes)
            outboxes.accepted(101, at: now)
        }
        #expect(queue.progress(of: both, waking: nil) == .waiting)
        #expect(queue.progress(of: urgent, waking: nil) == .waiting)
        queue.withOutboxes { $0.accepted(1, at: now) }
        #expect(queue.progress(of: both, waking: nil) == .accepted)
    }

    @Test("A receipt settles the message that left under its identifier, whichever outbox it came from")
    func receipts() {
        var outboxes = Outboxes(window: 4)
        outboxes[.normal].append([MQTTMessage("normal", "1")])
        outboxes[.urgent].append([MQTTMessage("urgent", "1")])
        #expect(publish(&outboxes) == ["urgent", "normal"])
        outboxes.accepted(101, at: now)
        #expect(outboxes[.normal].acceptedThrough == 1)
        #expect(outboxes[.urgent].acceptedThrough == 0)
        outboxes.accepted(1, at: now)
        #expect(outboxes.count == 0)
    }
}
