import Synchronization

/// Requests of callers to the thread, and whether it runs.
final class LoopControl: Sendable {
    /// The pending requests; each stays once made.
    struct Requests {
        var stop = false
        var cancel = false
        var drop = false
        var changesSubscriptions = false
    }

    private struct Contents {
        enum Phase {
            case idle
            case running
            case finished
        }

        var phase = Phase.idle
        var requests = Requests()
        var changes: [SubscriptionChange] = []
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let contents = Mutex(Contents())
    private let wakeUp: WakeUp

    init(wakeUp: WakeUp) {
        self.wakeUp = wakeUp
    }

    var requests: Requests { contents.withLock { $0.requests } }

    /// Whether the connection is to be dropped; true once for each request.
    func takeDrop() -> Bool {
        contents.withLock { exchange(&$0.requests.drop, with: false) }
    }

    /// Claims the one run; false when `stop` came first, an error when there was a run before.
    func start() throws(MosquittoError) -> Bool {
        guard wakeUp.isUsable else {
            throw MosquittoError(origin: .client, reason: "no file descriptor left")
        }
        let mayStart = contents.withLock { contents -> Bool? in
            if contents.phase == .finished, contents.requests.stop { return false }
            guard contents.phase == .idle else { return nil }
            contents.phase = .running
            return true
        }
        guard let mayStart else {
            throw MosquittoError(origin: .client, reason: "a client runs once", isRetriable: false)
        }
        return mayStart
    }

    func drop() { request { $0.requests.drop = true } }

    func change(_ change: SubscriptionChange) {
        request {
            $0.changes.append(change)
            $0.requests.changesSubscriptions = true
        }
    }

    /// The changes of subscriptions that were requested since the last call.
    func takeChanges() -> [SubscriptionChange] {
        contents.withLock { contents in
            contents.requests.changesSubscriptions = false
            return exchange(&contents.changes, with: [])
        }
    }

    func cancel() { request { $0.requests.cancel = true } }

    /// Requests a stop and waits for it; returns at once when nothing runs.
    func stop() async {
        request { $0.requests.stop = true }
        await withCheckedContinuation { continuation in
            let isRunning = contents.withLock { contents in
                guard contents.phase == .running else {
                    contents.phase = .finished
                    return false
                }
                contents.waiters.append(continuation)
                return true
            }
            if !isRunning { continuation.resume() }
        }
    }

    /// Resumes every caller that waits in `stop`.
    func finish() {
        let waiters = contents.withLock { contents in
            contents.phase = .finished
            return exchange(&contents.waiters, with: [])
        }
        for waiter in waiters { waiter.resume() }
    }

    private func request(_ change: (inout Contents) -> Void) {
        contents.withLock { change(&$0) }
        wakeUp.signal()
    }
}

/// The loop of a client, for one thread at a time: the client's own, or a caller's that publishes while that sleeps.
final class LoopAccess: Sendable {
    private let loop = Mutex<MosquittoLoop?>(nil)

    /// Runs the loop that `makeLoop` makes, on the calling thread, until it ends. It sleeps on `wakeUp`.
    func run(sleepingOn wakeUp: WakeUp, _ makeLoop: () throws -> sending MosquittoLoop) throws {
        var outcome = try loop.withLock { loop in
            let made = try makeLoop()
            defer { loop = made }
            return made.begin()
        }
        defer { loop.withLock { $0 = nil } }
        while case .sleep(let interest) = outcome {
            let readiness = wakeUp.wait(
                socket: interest.socket, forReading: interest.reads, forWriting: interest.writes,
                milliseconds: interest.milliseconds)
            guard let next = loop.withLock({ $0?.step(readiness) }) else { return }
            outcome = next
        }
        if case .ended(let result) = outcome { try result.get() }
    }

    /// Publishes what was appended, unless the loop is used; returns whether its thread has to be woken.
    func publish() -> Bool {
        loop.withLockIfAvailable { $0?.publishForCaller() ?? true } ?? true
    }
}
