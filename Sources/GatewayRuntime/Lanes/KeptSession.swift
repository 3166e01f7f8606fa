import Logging
import Mosquitto
import ServiceLifecycle

/// A session that the broker may keep while nobody is connected.
struct KeptSession: Sendable {
    /// A connection to it.
    let connection: MosquittoConfiguration
    let logger: Logger

    /// Whether the broker keeps it; reads and acknowledges nothing, and leaves no session behind where there was none. Nil when the gateway
    /// stops before the broker is there.
    func isKept() async throws -> Bool? {
        var probe = connection
        probe.subscriptions = []
        let state = try await visit(probe)
        guard case .connected(let isPresent)? = state else { return nil }
        if !isPresent, try await !end() { return nil }
        return isPresent
    }

    /// Ends it; false when the gateway stops before, and with `isBounded` when the broker could not be reached: one is tried once, several
    /// are tried three times, as the first waits for an answer are short and a cluster takes its time for a session.
    func end(isBounded: Bool = false) async throws -> Bool {
        var last = connection
        last.subscriptions = []
        last.cleanStart = true
        last.sessionExpirySeconds = 0
        let brokers = connection.brokers.addresses.count
        return try await visit(last, attempts: isBounded ? (brokers > 1 ? 3 * brokers : 1) : nil) != nil
    }

    /// Subscribes it, so that the broker keeps what comes from now on; reads and acknowledges nothing. False when the gateway stops before.
    func subscribe() async throws -> Bool {
        guard case .connected? = try await visit(connection) else { return false }
        return true
    }

    /// Connects once; returns the state then.
    private func visit(_ configuration: MosquittoConfiguration, attempts: Int? = nil) async throws -> ConnectionState? {
        let client = MosquittoClient(configuration: configuration, logger: logger)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run { WithholdingHandler(mayRead: false) } }
            let state = await cancelWhenGracefulShutdown { await client.connection(attempts: attempts) }
            await client.stop()
            try await group.waitForAll()
            return state
        }
    }
}
