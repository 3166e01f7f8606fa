import Synchronization

/// A verdict that is set once and can be awaited.
final class Gate: Sendable {
    private struct Contents {
        var verdict: Bool?
        var waiters: [CheckedContinuation<Bool, Never>] = []
    }

    private let contents = Mutex(Contents())

    /// Sets the verdict, unless it is set already.
    func open(_ verdict: Bool) {
        let waiters = contents.withLock { contents in
            guard contents.verdict == nil else { return [CheckedContinuation<Bool, Never>]() }
            contents.verdict = verdict
            return exchange(&contents.waiters, with: [])
        }
        for waiter in waiters { waiter.resume(returning: verdict) }
    }

    /// The verdict; nil while it is not set.
    var verdict: Bool? { contents.withLock { $0.verdict } }

    /// Waits for the verdict.
    func wait() async -> Bool {
        await withCheckedContinuation { continuation in
            let verdict = contents.withLock { contents in
                if contents.verdict == nil { contents.waiters.append(continuation) }
                return contents.verdict
            }
            if let verdict { continuation.resume(returning: verdict) }
        }
    }
}
