/// Messages to publish in order, each until it is settled: accepted, dropped, or kept elsewhere; a pure value.
///
/// Numbers run from 1. Receipts may come out of order (QoS 0 and 1 mixed); `settledThrough` never does. A topic that the broker refuses
/// holds up itself alone: its messages are set apart, and the first of them is tried again.
struct Outbox {
    private enum Progress {
        case waiting
        case inFlight
        /// Behind a message of its topic that was refused, or that one itself.
        case setApart
        /// With the one who keeps refused messages, until that has them safe.
        case handedOver
        case settled
    }

    private struct Entry {
        var message: MQTTMessage
        var progress = Progress.waiting
        /// How often it was refused.
        var refusals: UInt8 = 0
        /// How often the broker has closed the connection while it was in flight.
        var closes: UInt8 = 0
        /// How often it did within a second of it being sent alone.
        var closesAlone: UInt8 = 0
    }

    private var entries: [Entry] = []
    private var head = 0
    private var headSequence: UInt64 = 1
    /// No message before it waits.
    private var cursor: UInt64 = 1
    private var sequences: [Int32: UInt64] = [:]
    private var refused = RefusedTopics()
    /// The topics whose messages are handed over, and why.
    private(set) var closed: [String: MosquittoError] = [:]
    /// Those closed since the last call of `takeClosed`.
    private var newlyClosed: [String] = []
    /// Messages handed over since the last call of `takeHandedOver`.
    private var handedOver: [RefusedMessage] = []
    /// The results of messages with an answer number since the last call of `takeAnswers`.
    private var answers: [RefusedMessages.Answer] = []
    /// Why the broker refused the last expendable message; nil once it has accepted one.
    private(set) var expendableRefusal: MosquittoError?
    /// How many messages the broker has accepted.
    private(set) var acceptedCount: UInt64 = 0

    /// Messages not yet settled in order.
    var count: Int { entries.count - head }

    /// Messages handed to the library without a receipt.
    var inFlightCount: Int { sequences.count }

    /// When a refused topic is tried next; nil while none waits for a time.
    var retryAt: MonotonicInstant? { refused.retryAt }

    /// Why a topic is refused whose messages are not settled; nil for none.
    var refusal: MosquittoError? { refused.error }

    /// Since when messages wait to be sent alone; nil while none does.
    var suspectsSince: MonotonicInstant? { refused.suspectsSince }

    /// Whether a message may wait; false is certain.
    var mayHaveNext: Bool { cursor <= lastSequence || !refused.isEmpty }

    /// The last of the messages ever appended.
    var lastSequence: UInt64 { headSequence + UInt64(count) - 1 }

    /// Every message up to here is settled.
    var settledThrough: UInt64 { headSequence - 1 }

    mutating func append(_ messages: [MQTTMessage]) {
        entries.append(contentsOf: messages.lazy.map { Entry(message: $0) })
    }

    /// The next message to publish, as long as fewer than `window` are in flight.
    ///
    /// Messages of refused topics are set apart, or handed over, when their turn comes, which keeps the order of each topic.
    mutating func next(at now: MonotonicInstant, window: Int) -> (sequence: UInt64, message: MQTTMessage)? {
        guard inFlightCount < window else { return nil }
        if let sequence = refused.takeDue(at: now) { return (sequence, entries[index(of: sequence)].message) }
        cursor = max(cursor, headSequence)
        while cursor <= lastSequence {
            let index = index(of: cursor)
            if entries[index].progress == .waiting, !divert(cursor, at: now) { return (cursor, entries[index].message) }
            cursor += 1
        }
        return nil
    }

    /// The next message that is to be sent alone, oldest first.
    mutating func nextAlone(at now: MonotonicInstant) -> (sequence: UInt64, message: MQTTMessage)? {
        refused.takeSuspect(at: now).map { ($0, entries[index(of: $0)].message) }
    }

    /// Sets the waiting message apart, or hands it over, where its topic is refused; returns whether it did.
    private mutating func divert(_ sequence: UInt64, at now: MonotonicInstant) -> Bool {
        guard !closed.isEmpty || !refused.isEmpty || entries[index(of: sequence)].message.isAlone else { return false }
        let message = entries[index(of: sequence)].message
        guard !message.isExpendable else { return false }
        if message.answerNumber == nil, let error = closed[message.topic] {
            handOver(sequence, because: error, .ofTopic)
            return true
        }
        if message.isAlone {
            refused.suspect(message.topic, .closedByPeer, sequence, at: now)
        } else {
            guard refused.contains(message.topic) else { return false }
            refused.add(sequence, to: message.topic)
        }
        entries[index(of: sequence)].progress = .setApart
        return true
    }

    /// The message was published under this packet identifier.
    mutating func published(_ sequence: UInt64, as packetID: Int32) {
        // It may have been dropped since it was taken: `dropWaiting`.
        guard sequence >= headSequence else { return }
        entries[index(of: sequence)].progress = .inFlight
        sequences[packetID] = sequence
    }

    /// Whether a message of this outbox was published under this packet identifier and awaits its receipt.
    func holds(_ packetID: Int32) -> Bool { sequences[packetID] != nil }

    /// The broker has accepted the message of this packet identifier; false when that was no message of this outbox.
    @discardableResult
    mutating func accepted(_ packetID: Int32) -> Bool {
        guard let sequence = sequences.removeValue(forKey: packetID) else { return false }
        let index = index(of: sequence)
        entries[index].progress = .settled
        acceptedCount += 1
        if entries[index].message.isExpendable { expendableRefusal = nil }
        if let number = entries[index].message.answerNumber { answers.append(.init(number: number)) }
        if !refused.isEmpty { lift(entries[index].message.topic) }
        dropSettled()
        return true
    }

    /// The messages of a topic wait in their order again.
    private mutating func lift(_ topic: String) {
        for sequence in takeSetApart(of: topic) {
            entries[index(of: sequence)].progress = .waiting
            cursor = min(cursor, sequence)
        }
    }

    /// A topic is refused no more: the numbers of its messages that are set apart. Those before the first that is not settled are gone.
    private mutating func takeSetApart(of topic: String) -> [UInt64] {
        refused.lift(topic).filter { $0 >= headSequence && entries[index(of: $0)].progress == .setApart }
    }

    // MARK: Refusals

    /// The broker has refused the message of this packet identifier; see `refused(sequence:)`.
    mutating func refused(
        _ packetID: Int32, _ error: MosquittoError, at now: MonotonicInstant, settlingAfter attempts: Int?
    ) -> RefusedTopics.News? {
        guard let sequence = sequences.removeValue(forKey: packetID) else { return nil }
        return refused(sequence: sequence, error, at: now, settlingAfter: attempts)
    }

    /// Sets the message apart, to be tried again after a pause that grows; hands it and those of its topic over after so many refusals,
    /// or at once where a retry cannot help. With nil for `attempts` nothing is ever handed over. Returns a refusal that is new.
    mutating func refused(
        sequence: UInt64, _ error: MosquittoError, at now: MonotonicInstant, settlingAfter attempts: Int?
    ) -> RefusedTopics.News? {
        guard sequence >= headSequence else { return nil }
        let index = index(of: sequence)
        let message = entries[index].message
        defer { dropSettled() }
        if message.isExpendable || message.answerNumber != nil {
            settle(sequence, because: error)
            if message.answerNumber != nil { lift(message.topic) }
            return nil
        }
        entries[index].refusals += entries[index].refusals < .max ? 1 : 0
        if closed[message.topic] != nil {
            handOver(sequence, because: error, .ofTopic)
            lift(message.topic)
            return nil
        }
        if attempts != nil, error.isOfMessage, !message.isState {
            handOver(sequence, because: error, .ofMessage)
            lift(message.topic)
            return nil
        }
        entries[index].progress = .setApart
        let news = refused.refuse(message.topic, error, sequence, attempts: Int(entries[index].refusals), at: now)
        if let attempts, entries[index].refusals >= UInt8(clamping: attempts) || !error.mayChange {
            close(message.topic, error, .ofTopic)
        }
        return attempts == nil ? news : nil
    }

    /// Gives up an expendable message, or one with an answer number, which is answered.
    private mutating func settle(_ sequence: UInt64, because error: MosquittoError) {
        let index = index(of: sequence)
        entries[index].progress = .settled
        if let number = entries[index].message.answerNumber { answers.append(.init(number: number, error: error)) }
        if entries[index].message.isExpendable { expendableRefusal = error }
    }

    /// Hands over what is set apart of a topic, and from now on every message of it.
    private mutating func close(_ topic: String, _ error: MosquittoError, _ scope: RefusedMessage.Scope) {
        closed[topic] = error
        newlyClosed.append(topic)
        for sequence in takeSetApart(of: topic) { handOver(sequence, because: error, scope) }
    }

    private mutating func handOver(_ sequence: UInt64, because error: MosquittoError, _ scope: RefusedMessage.Scope) {
        entries[index(of: sequence)].progress = .handedOver
        handedOver.append(
            RefusedMessage(sequence: sequence, message: entries[index(of: sequence)].message, error: error, scope: scope))
    }

    /// Has every message of a topic handed over from now on.
    mutating func close(_ topic: String, because error: MosquittoError) { closed[topic] = closed[topic] ?? error }

    /// The topics that were refused for good since the last call, and why.
    mutating func takeClosed() -> [(topic: String, error: MosquittoError)] {
        exchange(&newlyClosed, with: []).compactMap { topic in closed[topic].map { (topic, $0) } }
    }

    /// Publishes the messages of a topic again.
    mutating func reopen(_ topic: String) { closed[topic] = nil }

    /// Whether messages of a topic wait that would be handed over.
    func hasWaiting(_ topic: String) -> Bool {
        if handedOver.contains(where: { $0.message.topic == topic }) { return true }
        // The cursor stands at a message that may be settled since.
        let first = max(cursor, headSequence)
        guard first <= lastSequence else { return false }
        return (first...lastSequence).contains { entries[index(of: $0)].message.topic == topic }
    }

    /// The messages that were handed over since the last call.
    mutating func takeHandedOver() -> [RefusedMessage] { exchange(&handedOver, with: []) }

    /// Whether `takeHandedOver` or `takeAnswers` returns anything.
    var hasNews: Bool { !handedOver.isEmpty || !answers.isEmpty }

    /// What became of messages with an answer number since the last call.
    mutating func takeAnswers() -> [RefusedMessages.Answer] { exchange(&answers, with: []) }

    /// A message that was handed over is kept elsewhere.
    mutating func kept(_ sequence: UInt64) {
        guard sequence >= headSequence, sequence <= lastSequence else { return }
        entries[index(of: sequence)].progress = .settled
        dropSettled()
    }

    // MARK: Messages that may be lost

    /// Drops the oldest messages that wait while those that wait have more than so many bytes; returns how many.
    mutating func dropWaiting(beyondBytes limit: Int) -> Int {
        var bytes = entries[head...].reduce(0) { $0 + ($1.progress == .waiting ? $1.message.payload.count : 0) }
        var (index, dropped) = (head, 0)
        while bytes > limit, index < entries.count {
            defer { index += 1 }
            guard entries[index].progress == .waiting else { continue }
            bytes -= entries[index].message.payload.count
            entries[index].progress = .settled
            dropped += 1
        }
        if dropped > 0 { dropSettled() }
        return dropped
    }

    /// Drops every message; returns how many.
    mutating func dropAll() -> Int {
        let dropped = entries[head...].count { $0.progress != .settled }
        for index in head..<entries.count { entries[index].progress = .settled }
        sequences.removeAll(keepingCapacity: true)
        dropSettled()
        return dropped
    }

    // MARK: The end of a connection

    /// Everything without a receipt waits again, in order. `byPeer` says whether the broker ended the connection; `alone` is the message
    /// that was sent alone within the last second.
    mutating func connectionLost(
        byPeer: Bool = false, alone: UInt64? = nil, at now: MonotonicInstant, settlingAfter attempts: Int? = nil
    ) {
        for sequence in sequences.values.sorted() {
            let index = index(of: sequence)
            entries[index].progress = .waiting
            let message = entries[index].message
            guard byPeer, attempts != nil || message.isExpendable else { continue }
            entries[index].closes += entries[index].closes < .max ? 1 : 0
            if message.isExpendable {
                if entries[index].closes >= Self.closesToDrop { settle(sequence, because: .closedByPeer) }
                continue
            }
            if sequence == alone { entries[index].closesAlone += entries[index].closesAlone < .max ? 1 : 0 }
            if message.answerNumber != nil, sequence == alone {
                settle(sequence, because: .closedByPeer)
                for behind in takeSetApart(of: message.topic) {
                    entries[self.index(of: behind)].progress = .waiting
                    // Each that has an answer would end another connection.
                    if entries[self.index(of: behind)].message.answerNumber != nil { settle(behind, because: .closedByPeer) }
                }
            } else if entries[index].closes >= Self.closesToSuspect {
                entries[index].progress = .setApart
                refused.suspect(message.topic, .closedByPeer, sequence, at: now)
                if entries[index].closesAlone >= Self.closesToSettle { close(message.topic, .closedByPeer, .ofClosing) }
            }
        }
        sequences.removeAll(keepingCapacity: true)
        for sequence in refused.connectionLost(at: now)
        where sequence >= headSequence && entries[index(of: sequence)].progress == .waiting {
            entries[index(of: sequence)].progress = .setApart
        }
        cursor = headSequence
        dropSettled()
    }

    /// After how many closed connections with it in flight an expendable message is dropped.
    private static let closesToDrop: UInt8 = 3
    /// After how many closed connections with it in flight a message is sent alone.
    private static let closesToSuspect: UInt8 = 2
    /// After how many closed connections within a second of being sent alone a message is handed over.
    private static let closesToSettle: UInt8 = 2

    private func index(of sequence: UInt64) -> Int { head + Int(sequence - headSequence) }

    private mutating func dropSettled() {
        while head < entries.count, entries[head].progress == .settled {
            entries[head].message.payload = []
            head += 1
            headSequence += 1
        }
        if head == entries.count || head >= 1024 && head * 2 >= entries.count {
            entries.removeFirst(head)
            head = 0
        }
    }
}
