import Synchronization

/// The outboxes behind a lock, with everyone who waits for a ticket.
final class PublishQueue: Sendable {
    private struct Waiter {
        var ticket: PublishTicket
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct Contents {
        var outboxes = Outboxes()
        var waiters: [Int: Waiter] = [:]
        var nextID = 0
        var isClosed = false

        func isSettled(_ ticket: PublishTicket) -> Bool { outboxes[ticket.priority].acceptedThrough >= ticket.sequence }
    }

    private let contents = Mutex(Contents())
    private let wakeUp: WakeUp
    private static let stopped = MosquittoError(
        origin: .client, reason: "the client stopped before the message was accepted", isRetriable: false)

    init(wakeUp: WakeUp) {
        self.wakeUp = wakeUp
    }

    // MARK: The callers' side

    func append(_ messages: [MQTTMessage], priority: PublishPriority) -> PublishTicket {
        let ticket = contents.withLock { contents in
            contents.outboxes[priority].append(messages)
            return PublishTicket(priority: priority, sequence: contents.outboxes[priority].lastSequence)
        }
        wakeUp.signal()
        return ticket
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
            // Cancellation is looked at under the lock that onCancel takes: one of the two sees the other.
            if Task.isCancelled { return .failure(CancellationError()) }
            if contents.isClosed { return .failure(Self.stopped) }
            contents.waiters[id] = waiter
            return nil
        }
        if let answer { waiter.continuation.resume(with: answer) }
    }

    func describe(in statistics: inout MosquittoStatistics) {
        contents.withLock { contents in
            statistics.messagesAccepted = PublishPriority.allCases.reduce(0) { $0 + contents.outboxes[$1].acceptedThrough }
            statistics.outboxCount = contents.outboxes.count
            statistics.refusal = contents.outboxes.refusal?.error
            statistics.expendableRefusal = contents.outboxes.expendableRefusal
        }
    }

    // MARK: The thread's side

    var isEmpty: Bool { contents.withLock { $0.outboxes.count == 0 } }

    /// When a refused message is due; nil while nothing is refused or it is on its way.
    var retryAt: ContinuousClock.Instant? { contents.withLock { $0.outboxes.retryAt } }

    /// Runs `body` with the outboxes, then resumes those whose messages have all been accepted.
    func withOutboxes<Answer: Sendable>(_ body: (inout Outboxes) -> Answer) -> Answer {
        let (answer, done) = contents.withLock { contents -> (Answer, [Waiter]) in
            let answer = body(&contents.outboxes)
            guard !contents.waiters.isEmpty else { return (answer, []) }
            let done = contents.waiters.filter { contents.isSettled($0.value.ticket) }
            for id in done.keys { contents.waiters.removeValue(forKey: id) }
            return (answer, done.values.sorted { $0.ticket.sequence < $1.ticket.sequence })
        }
        for waiter in done { waiter.continuation.resume() }
        return answer
    }

    /// Fails everyone who waits, now or later.
    func close() {
        let waiters = contents.withLock { contents in
            contents.isClosed = true
            defer { contents.waiters = [:] }
            return contents.waiters.values.map(\.continuation)
        }
        for waiter in waiters { waiter.resume(throwing: Self.stopped) }
    }
}
