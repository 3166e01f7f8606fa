import Synchronization

/// The outboxes behind a lock, with the callers that wait for a ticket.
final class PublishQueue: Sendable {
    private struct Waiter {
        var ticket: PublishTicket
        var continuation: CheckedContinuation<Void, any Error>
    }

    /// A thread that is to be woken when its messages have been accepted.
    private struct Sleeper {
        var ticket: PublishTicket
        var wakeUp: WakeUp
    }

    private struct Contents {
        var outboxes: Outboxes
        var waiters: [Int: Waiter] = [:]
        var nextID = 0
        var sleepers: [Sleeper] = []
        /// The wake-up of the one who keeps refused messages.
        var keeper: WakeUp?
        var isClosed = false

        func isSettled(_ ticket: PublishTicket) -> Bool {
            PublishPriority.allCases.allSatisfy { outboxes[$0].settledThrough >= ticket[$0] }
        }

        /// The wake-up of the one who keeps refused messages, where there is something for it.
        var keeperWithNews: WakeUp? { keeper == nil || !outboxes.hasRefused ? nil : keeper }

        /// Removes and returns the wake-ups of sleepers whose messages have all been accepted.
        mutating func takeSleepers() -> [WakeUp] {
            guard sleepers.contains(where: { isSettled($0.ticket) }) else { return [] }
            let all = sleepers
            sleepers = all.filter { !isSettled($0.ticket) }
            return all.filter { isSettled($0.ticket) }.map(\.wakeUp)
        }
    }

    private let contents: Mutex<Contents>
    private let wakeUp: WakeUp
    private static let stopped = MosquittoError(
        origin: .client, reason: "the client stopped before the message was accepted", isRetriable: false)

    /// A queue of which at most `window` messages may be without a receipt, for a thread that sleeps on `wakeUp`.
    init(window: Int, wakeUp: WakeUp) {
        contents = Mutex(Contents(outboxes: Outboxes(window: window)))
        self.wakeUp = wakeUp
    }

    // MARK: Callers

    func append(_ messages: [MQTTMessage], priority: PublishPriority) -> PublishTicket {
        contents.withLock { contents in
            contents.outboxes.append(messages, priority)
            return PublishTicket(priority: priority, sequence: contents.outboxes[priority].lastSequence)
        }
    }

    func expendableRefusal(of priority: PublishPriority) -> MosquittoError? {
        contents.withLock { $0.outboxes[priority].expendableRefusal }
    }

    /// Whether everything up to `ticket` has been accepted. While that is `waiting`, `sleeper` is signalled once when it changes,
    /// or when the client stops; each sleeper waits for the ticket that it passed last.
    func progress(of ticket: PublishTicket, waking sleeper: WakeUp?) -> PublishProgress {
        let (progress, isNew) = contents.withLock { contents -> (PublishProgress, Bool) in
            let count = contents.sleepers.count
            if let sleeper { contents.sleepers.removeAll { $0.wakeUp === sleeper } }
            if contents.isSettled(ticket) { return (.accepted, false) }
            if contents.isClosed { return (.stopped, false) }
            if let sleeper { contents.sleepers.append(Sleeper(ticket: ticket, wakeUp: sleeper)) }
            return (.waiting, contents.sleepers.count > count)
        }
        // The thread reads receipts at once from now on.
        if isNew { wakeUp.signal() }
        return progress
    }

    func settled(_ ticket: PublishTicket) async throws {
        let id = contents.withLock { contents in
            defer { contents.nextID += 1 }
            return contents.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                register(Waiter(ticket: ticket, continuation: continuation), id: id)
            }
        } onCancel: {
            let waiter = contents.withLock { contents in contents.waiters.removeValue(forKey: id) }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    private func register(_ waiter: Waiter, id: Int) {
        let answer = contents.withLock { contents -> Result<Void, any Error>? in
            if contents.isSettled(waiter.ticket) { return .success(()) }
            // Cancellation is checked under the lock that onCancel takes, so that one of the two observes the other.
            if Task.isCancelled { return .failure(CancellationError()) }
            if contents.isClosed { return .failure(Self.stopped) }
            contents.waiters[id] = waiter
            return nil
        }
        if let answer { waiter.continuation.resume(with: answer) } else { wakeUp.signal() }
    }

    func describe(in statistics: inout MosquittoStatistics) {
        contents.withLock { contents in
            statistics.messagesAccepted = contents.outboxes.acceptedCount
            statistics.messagesWritten = contents.outboxes.writtenCount
            statistics.messagesDropped = contents.outboxes.droppedCount
            statistics.outboxCount = contents.outboxes.count
            statistics.refusal = contents.outboxes.refusal
        }
    }

    // MARK: Refused messages

    /// Hands messages over once they were refused `attempts` times, and signals `keeper` then.
    func keepRefused(after attempts: Int, waking keeper: WakeUp) {
        contents.withLock { contents in
            contents.outboxes.attempts = attempts
            contents.keeper = keeper
        }
    }

    // MARK: Thread

    /// Whether a caller waits for a ticket.
    var isAwaited: Bool { contents.withLock { !$0.sleepers.isEmpty || !$0.waiters.isEmpty } }

    var isEmpty: Bool { contents.withLock { $0.outboxes.count == 0 } }

    /// When a message may be published that may not be now; see `Outboxes.retryAt`.
    func retryAt(at now: MonotonicInstant) -> MonotonicInstant? { contents.withLock { $0.outboxes.retryAt(at: now) } }

    /// The next message to publish; see `Outboxes.next`.
    func next(controlOnly: Bool) -> (place: Outboxes.Place, message: MQTTMessage)? {
        let (next, keeper) = contents.withLock { contents in
            (contents.outboxes.next(at: .now, controlOnly: controlOnly), contents.keeperWithNews)
        }
        keeper?.signal()
        return next
    }

    /// Runs `body` with the outboxes, then resumes and wakes those whose messages are all settled.
    func withOutboxes<Answer: Sendable>(_ body: (inout Outboxes) -> Answer) -> Answer {
        let (answer, done, sleepers) = contents.withLock { contents -> (Answer, [Waiter], [WakeUp]) in
            let answer = body(&contents.outboxes)
            var sleepers = contents.takeSleepers()
            if let keeper = contents.keeperWithNews { sleepers.append(keeper) }
            guard !contents.waiters.isEmpty else { return (answer, [], sleepers) }
            let done = contents.waiters.filter { contents.isSettled($0.value.ticket) }
            for id in done.keys { contents.waiters.removeValue(forKey: id) }
            return (answer, done.sorted { $0.key < $1.key }.map(\.value), sleepers)
        }
        for waiter in done { waiter.continuation.resume() }
        for sleeper in sleepers { sleeper.signal() }
        return answer
    }

    /// Fails every caller that waits, now or later.
    func close() {
        let (waiters, sleepers) = contents.withLock { contents in
            contents.isClosed = true
            defer { (contents.waiters, contents.sleepers) = ([:], []) }
            return (contents.waiters.values.map(\.continuation), contents.sleepers.map(\.wakeUp))
        }
        for waiter in waiters { waiter.resume(throwing: Self.stopped) }
        for sleeper in sleepers { sleeper.signal() }
    }
}
