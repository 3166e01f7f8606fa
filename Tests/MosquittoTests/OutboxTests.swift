import Testing

@testable import Mosquitto

@Suite
struct OutboxTests {
    private let now = MonotonicInstant.now
    private let error = MosquittoError(origin: .reasonCode, code: 0x97, reason: "quota")

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
        #expect(outbox.settledThrough == 0)
        outbox.accepted(1)
        #expect(outbox.settledThrough == 2)
        outbox.accepted(99)
        #expect(outbox.count == 1)
        #expect(outbox.lastSequence == 3)
    }

    @Test("After a lost connection everything without a receipt goes again, in order")
    func connectionLost() {
        var outbox = outbox(4)
        _ = publish(&outbox, window: 3)
        outbox.accepted(2)
        outbox.connectionLost(at: now)
        #expect(outbox.inFlightCount == 0)
        #expect(publish(&outbox) == [1, 3, 4])
    }

    private func outbox(_ topics: String...) -> Outbox {
        var outbox = Outbox()
        outbox.append(topics.map { MQTTMessage(topic: $0, payload: []) })
        return outbox
    }

    @Test("A refused message holds up those of its topic alone, and is tried again after pauses that grow")
    func refused() {
        var outbox = outbox("bad", "good", "bad", "good")
        #expect(publish(&outbox, window: 2) == [1, 2])
        let news = outbox.refused(1, error, at: now, settlingAfter: nil)
        #expect(news == .init(topic: "bad", error: error))
        outbox.accepted(2)
        #expect(publish(&outbox) == [4])
        let first = now + RefusedTopics.pause(afterAttempts: 1)
        #expect(outbox.retryAt == first)
        #expect(publish(&outbox, at: first) == [1])
        #expect(publish(&outbox, at: first + .seconds(60)) == [], "one at a time")
        #expect(outbox.refused(1, error, at: first, settlingAfter: nil) == nil, "no news")
        #expect(publish(&outbox, at: first + RefusedTopics.pause(afterAttempts: 1)) == [])
        #expect(publish(&outbox, at: first + RefusedTopics.pause(afterAttempts: 2)) == [1])
        outbox.accepted(1)
        #expect(outbox.refusal == nil)
        #expect(publish(&outbox) == [3])
    }

    @Test("Of several refused at once the first is tried, whichever came first")
    func severalRefused() {
        var outbox = outbox(3)
        _ = publish(&outbox)
        for packetID: Int32 in [2, 1, 3] { _ = outbox.refused(packetID, error, at: now, settlingAfter: nil) }
        #expect(publish(&outbox, at: now + .seconds(9)) == [1])
        outbox.accepted(1)
        #expect(publish(&outbox) == [2, 3])
    }

    @Test(
        "After so many refusals the messages of a topic are handed over in order, later ones at once, and settle once they are kept"
    )
    func handedOver() {
        var outbox = outbox("bad", "good", "bad")
        var at = now
        _ = publish(&outbox)
        for attempt in 1...3 {
            _ = outbox.refused(1, error, at: at, settlingAfter: 3)
            if attempt == 1 { _ = outbox.refused(3, error, at: at, settlingAfter: 3) }
            at = at + .seconds(1)
            #expect(publish(&outbox, at: at) == (attempt < 3 ? [1] : []))
        }
        outbox.accepted(2)
        outbox.append([MQTTMessage(topic: "bad", payload: []), MQTTMessage(topic: "good", payload: [])])
        #expect(outbox.hasWaiting("bad"))
        #expect(publish(&outbox) == [5])
        let taken = outbox.takeHandedOver()
        #expect(taken.map(\.sequence) == [1, 3, 4])
        #expect(taken.allSatisfy { $0.scope == .ofTopic && $0.error == error })
        #expect(!outbox.hasWaiting("bad") && !outbox.hasNews)
        #expect(outbox.settledThrough == 0)
        for message in taken { outbox.kept(message.sequence) }
        #expect(outbox.settledThrough == 4)
        outbox.reopen("bad")
        outbox.append([MQTTMessage(topic: "bad", payload: [])])
        #expect(publish(&outbox) == [6])
    }

    @Test("An event that is too large is handed over at once, and holds up nothing; a state has its topic handed over")
    func tooLarge() {
        let error = MosquittoError(origin: .reasonCode, code: 0x95, reason: "packet too large")
        var outbox = outbox("t", "t")
        _ = publish(&outbox, window: 1)
        _ = outbox.refused(1, error, at: now, settlingAfter: 5)
        #expect(outbox.takeHandedOver().map(\.scope) == [.ofMessage])
        #expect(publish(&outbox) == [2])

        var states = Outbox()
        states.append(
            [MQTTMessage(topic: "t", payload: [], retain: true), MQTTMessage(topic: "t", payload: [], retain: true)].map {
                var state = $0
                state.isState = true
                return state
            })
        _ = publish(&states, window: 1)
        _ = states.refused(1, error, at: now, settlingAfter: 5)
        #expect(publish(&states) == [])
        #expect(states.takeHandedOver().map(\.scope) == [.ofTopic, .ofTopic])
    }

    @Test("A topic name that the broker does not accept is not tried again before it is handed over")
    func invalidTopic() {
        var outbox = outbox("bad")
        _ = publish(&outbox)
        _ = outbox.refused(1, MosquittoError(origin: .reasonCode, code: 0x90, reason: "invalid"), at: now, settlingAfter: 5)
        #expect(outbox.takeHandedOver().map(\.sequence) == [1])
    }

    @Test("A message with an answer number is not tried again: its answer says what became of it")
    func answers() {
        var outbox = Outbox()
        outbox.append(
            ([7, 8] as [UInt64]).map { number in
                var message = MQTTMessage(topic: "t", payload: [])
                message.answerNumber = number
                return message
            })
        _ = publish(&outbox)
        outbox.accepted(1)
        #expect(outbox.refused(2, error, at: now, settlingAfter: 5) == nil)
        let answers = outbox.takeAnswers()
        #expect(answers.map(\.number) == [7, 8] && answers.map(\.error) == [nil, error])
        #expect(outbox.count == 0)
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

    @Test("No message of a topic waits once the last one is settled, before the next is looked for")
    func nothingWaits() {
        var outbox = outbox(1)
        _ = outbox.next(at: now, window: 1)
        outbox.published(1, as: 1)
        outbox.accepted(1)
        #expect(!outbox.hasWaiting("t"))
    }

    @Test("Whatever comes in whatever order, every message is accepted or kept once", arguments: UInt64(1)...200)
    func anyOrder(seed: UInt64) {
        var state = seed &* 0x9E37_79B9_7F4A_7C15
        func below(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        var outbox = Outbox()
        var (at, appended) = (now, UInt64(0))
        var alone: UInt64?
        var answered: Set<UInt64> = []
        var (inFlight, handedOver, settled) = ([UInt64](), [UInt64](), [UInt64]())
        func step(_ choice: Int) {
            switch choice {
            case 0:
                appended += 1
                var message = MQTTMessage(topic: below(2) == 0 ? "a" : "b", payload: [])
                if below(3) == 0 {
                    (message.answerNumber, message.isAlone) = (appended, below(2) == 0)
                    answered.insert(appended)
                }
                outbox.append([message])
            case 1:
                if alone == nil { inFlight += publish(&outbox, window: 3, at: at) }
                guard inFlight.isEmpty, let next = outbox.nextAlone(at: at) else { break }
                outbox.published(next.sequence, as: Int32(next.sequence))
                (alone, inFlight) = (next.sequence, [next.sequence])
            case 2, 3:
                guard !inFlight.isEmpty else { break }
                let sequence = inFlight.remove(at: below(inFlight.count))
                if sequence == alone { alone = nil }
                if choice == 2 {
                    outbox.accepted(Int32(sequence))
                    if !answered.contains(sequence) { settled.append(sequence) }
                } else {
                    _ = outbox.refused(Int32(sequence), error, at: at, settlingAfter: 2)
                }
            case 4:
                handedOver += outbox.takeHandedOver().map(\.sequence)
                settled += outbox.takeAnswers().map(\.number)
            case 5:
                guard !handedOver.isEmpty else { break }
                let sequence = handedOver.removeFirst()
                outbox.kept(sequence)
                settled.append(sequence)
            case 6: at = at + .seconds(1)
            default:
                outbox.connectionLost(byPeer: below(2) == 0, alone: alone, at: at, settlingAfter: 2)
                (inFlight, alone) = ([], nil)
            }
            for topic in ["a", "b"] where !outbox.hasWaiting(topic) && below(4) == 0 { outbox.reopen(topic) }
        }
        for _ in 0..<300 { step(below(8)) }
        for _ in 0..<2_000 where outbox.count > 0 { step([1, 2, 4, 5, 6][below(5)]) }
        step(4)
        #expect(outbox.count == 0)
        #expect(settled.sorted() == (0..<appended).map { $0 + 1 })
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
        #expect(outbox.refused(1, error, at: now, settlingAfter: nil) == nil)
        #expect(outbox.expendableRefusal == error)
        #expect(outbox.settledThrough == 1)
        outbox.accepted(2)
        #expect(outbox.expendableRefusal == nil)
    }

    @Test("An expendable message with which the broker closes connections is dropped, and what follows it goes on")
    func expendableCloses() {
        var outbox = Outbox()
        var message = MQTTMessage(topic: "t", payload: [])
        message.isExpendable = true
        outbox.append([message])
        for _ in 1...3 {
            #expect(publish(&outbox) == [1])
            outbox.connectionLost(at: now)
            #expect(publish(&outbox) == [1])
            outbox.connectionLost(byPeer: true, at: now)
        }
        #expect(outbox.expendableRefusal == .closedByPeer)
        #expect(outbox.count == 0)
        outbox.append([message])
        #expect(publish(&outbox) == [2])
    }

    @Test("Where the broker closes the connection for one of several that are published again, each has its answer")
    func answersOfClosing() {
        var outbox = Outbox()
        outbox.append(
            ([1, 2, 3] as [UInt64]).map { number in
                var message = MQTTMessage(topic: "t", payload: [])
                (message.answerNumber, message.isAlone) = (number, true)
                return message
            })
        #expect(publish(&outbox).isEmpty)
        #expect(outbox.nextAlone(at: now)?.sequence == 1)
        outbox.published(1, as: 1)
        outbox.connectionLost(byPeer: true, alone: 1, at: now, settlingAfter: 5)
        let answers = outbox.takeAnswers()
        #expect(answers.map(\.number) == [1, 2, 3] && answers.allSatisfy { $0.error == .closedByPeer })
        #expect(outbox.count == 0)
    }

    @Test("A message that is dropped between being taken and being published is no message any more")
    func droppedMeanwhile() {
        var outbox = outbox(2)
        #expect(outbox.next(at: now, window: 10)?.sequence == 1)
        #expect(outbox.dropWaiting(beyondBytes: 1) == 1)
        outbox.published(1, as: 1)
        let isKnown = outbox.accepted(1)
        #expect(!isKnown)
        #expect(outbox.refused(sequence: 1, error, at: now, settlingAfter: nil) == nil)
        #expect(publish(&outbox) == [2])
    }
}
