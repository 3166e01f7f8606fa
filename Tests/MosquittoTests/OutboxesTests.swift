import Testing

@testable import Mosquitto

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

    /// Publishes everything, and has the broker close the connection `after` that.
    private func closeConnection(_ outboxes: inout Outboxes, after: Duration = .zero, at time: MonotonicInstant) -> [String] {
        var order: [String] = []
        while let next = outboxes.next(at: time) {
            outboxes.published(next.message, at: next.place, as: Int32(1_000 + order.count), at: time)
            order.append(next.message.topic)
        }
        outboxes.connectionLost(byPeer: true, at: time + after)
        return order
    }

    @Test(
        "A message in flight when the broker closed the connection twice goes alone and last, and settles by two closes at once after that"
    )
    func closedByPeer() {
        var outboxes = Outboxes(window: 8)
        outboxes.attempts = 5
        outboxes[.high].append([MQTTMessage("bad", "1")])
        #expect(closeConnection(&outboxes, at: now) == ["bad"])
        #expect(closeConnection(&outboxes, at: now) == ["bad"])
        outboxes[.high].append([MQTTMessage("good", "2"), MQTTMessage("bad", "3")])
        let next = outboxes.next(at: now)
        #expect(next?.message.topic == "good")
        if let next { outboxes.published(next.message, at: next.place, as: 1, at: now) }
        #expect(outboxes.next(at: now) == nil, "not while another is in flight")
        outboxes.accepted(1, at: now)
        #expect(closeConnection(&outboxes, after: .milliseconds(900), at: now) == ["bad"])
        #expect(!outboxes.hasRefused)
        #expect(closeConnection(&outboxes, at: now + .seconds(5)) == ["bad"])
        let taken = outboxes.takeRefused().messages
        #expect(taken.map(\.message.text) == ["1", "3"] && taken.allSatisfy { $0.scope == .ofClosing })
        #expect(outboxes.next(at: now) == nil)
        outboxes[.urgent].append([MQTTMessage("bad", "4")])
        #expect(outboxes.next(at: now) == nil)
        #expect(outboxes.takeRefused().messages.map(\.message.text) == ["4"])
    }

    @Test(
        "Failures of the network settle nothing, however often: what was sent alone is answered, or fails later than a second after"
    )
    func networkFailures() {
        var outboxes = Outboxes(window: 8)
        outboxes.attempts = 5
        outboxes[.urgent].append([MQTTMessage("a", "1"), MQTTMessage("b", "1")])
        #expect(closeConnection(&outboxes, at: now) == ["a", "b"])
        #expect(closeConnection(&outboxes, at: now) == ["a", "b"])
        for round in 1...5 {
            let at = now + .seconds(10 * round)
            let order = closeConnection(&outboxes, after: .seconds(2), at: at)
            #expect(order.count == 1, "alone")
            #expect(!outboxes.hasRefused)
        }
        for (index, topic) in ["a", "b"].enumerated() {
            let at = now + .seconds(100 + index)
            guard let next = outboxes.next(at: at) else { return #expect(Bool(false), "\(topic) goes") }
            outboxes.published(next.message, at: next.place, as: Int32(index), at: at)
            #expect(outboxes.next(at: at) == nil)
            outboxes.accepted(Int32(index), at: at)
        }
        #expect(outboxes.count == 0 && outboxes.acceptedCount == 2)
    }

    @Test("Messages that keep coming do not keep one from being sent alone for longer than a quarter of a second")
    func aloneInTime() {
        var outboxes = Outboxes(window: 8)
        outboxes.attempts = 5
        outboxes[.high].append([MQTTMessage("bad", "1")])
        for _ in 1...2 { _ = closeConnection(&outboxes, at: now) }
        outboxes[.urgent].append((0..<100).map { MQTTMessage("good", "\($0)") })
        #expect(outboxes.next(at: now + .milliseconds(100))?.message.topic == "good")
        #expect(outboxes.retryAt(at: now) == now + .milliseconds(250))
        #expect(outboxes.next(at: now + .milliseconds(250))?.message.topic == "bad")
        #expect(outboxes.next(at: now + .seconds(1)) == nil, "it is alone")
        #expect(outboxes.next(at: now + .seconds(2))?.message.topic == "good")
    }

    @Test("A topic that is refused in one priority is handed over in each, and heartbeats go on")
    func everyPriority() {
        var outboxes = Outboxes(window: 8)
        outboxes.attempts = 1
        outboxes[.urgent].append([MQTTMessage("bad", "1")])
        #expect(publish(&outboxes) == ["bad"])
        _ = outboxes.refused(1, MosquittoError(origin: .reasonCode, code: 0x87, reason: "not authorized"), at: now)
        outboxes[.high].append([MQTTMessage("bad", "2")])
        outboxes[.heartbeat].append([MQTTMessage("beat", "1")])
        #expect(publish(&outboxes) == ["beat"])
        let taken = outboxes.takeRefused().messages
        #expect(taken.map(\.priority) == [.urgent, .high])
        let isOpen = outboxes.reopen("bad")
        #expect(isOpen)
        outboxes.kept(taken)
        #expect(outboxes[.urgent].settledThrough == 1 && outboxes[.high].settledThrough == 1)
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
        #expect(outboxes[.normal].settledThrough == 1)
        #expect(outboxes[.urgent].settledThrough == 0)
        outboxes.accepted(1, at: now)
        #expect(outboxes.count == 0)
    }
}
