import Mosquitto

extension ConnectionState {
    /// Whether the broker has accepted the connection.
    var isConnected: Bool {
        switch self {
        case .connected: true
        case .connecting, .disconnected, .stopped: false
        }
    }
}

extension MosquittoClient {
    /// Waits until the broker has accepted the connection; false when the client stopped, or the task was cancelled, before, and once
    /// as many `attempts` have failed; nil is any number.
    func isConnected(attempts: Int? = nil) async -> Bool { await connection(attempts: attempts) != nil }

    /// Waits until the broker has accepted the connection. Its state, though it may have ended since; nil where `isConnected` is false.
    func connection(attempts: Int? = nil) async -> ConnectionState? {
        var failures = 0
        for await state in stateChanges() {
            switch state {
            case .connected: return state
            case .stopped: return nil
            case .disconnected:
                failures += 1
                if failures == attempts { return nil }
            case .connecting: continue
            }
        }
        return nil
    }
}
