import Synchronization

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
