import Synchronization

/// The current connection state and its observers.
final class ConnectionStates: Sendable {
    private struct Watched {
        var current = ConnectionState.connecting
        var watchers: [Int: AsyncStream<ConnectionState>.Continuation] = [:]
        var nextID = 0
    }

    private let watched = Mutex(Watched())

    var current: ConnectionState { watched.withLock { $0.current } }

    /// Sends a state to every observer; `stopped` ends their streams, and no state follows it.
    func announce(_ state: ConnectionState) {
        let watchers = watched.withLock { watched -> [AsyncStream<ConnectionState>.Continuation] in
            guard watched.current != .stopped, watched.current != state else { return [] }
            watched.current = state
            return Array(watched.watchers.values)
        }
        for watcher in watchers {
            watcher.yield(state)
            if state == .stopped { watcher.finish() }
        }
    }

    func changes() -> AsyncStream<ConnectionState> {
        let (stream, watcher) = AsyncStream.makeStream(of: ConnectionState.self, bufferingPolicy: .bufferingNewest(16))
        let (id, state) = watched.withLock { watched in
            defer { watched.nextID += 1 }
            watched.watchers[watched.nextID] = watcher
            // Yielded under the lock so that no later state can overtake it.
            watcher.yield(watched.current)
            return (watched.nextID, watched.current)
        }
        watcher.onTermination = { [weak self] _ in
            self?.watched.withLock { watched in _ = watched.watchers.removeValue(forKey: id) }
        }
        if state == .stopped { watcher.finish() }
        return stream
    }
}
