import GatewayPipeline
import Logging
import Mosquitto
import ServiceLifecycle

/// A session that the broker may keep while nobody is connected.
struct KeptSession: Sendable {
    /// What a cluster of NATS needs: earlier versions keep sessions that were ended.
    static let natsAdvice = "a cluster needs version 2.11 or later"

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

    /// Ends it; false when the gateway stops before, and with `isBounded` when no broker could be reached, each of which is tried once.
    func end(isBounded: Bool = false) async throws -> Bool {
        var last = connection
        last.subscriptions = []
        last.cleanStart = true
        last.sessionExpirySeconds = 0
        // A cluster of NATS takes seconds to remove a session before it answers, and no node accepts the client meanwhile.
        last.nextBrokerSeconds = last.connectTimeoutSeconds
        return try await visit(last, attempts: isBounded ? last.brokers.addresses.count : nil) != nil
    }

    /// Ends several, one after the other, within `seconds` for all of them; returns those that were not ended.
    static func end(_ sessions: [KeptSession], within seconds: Double, on clock: any GatewayClock) async -> [KeptSession] {
        let deadline = clock.now.monotonic + seconds
        var left: [KeptSession] = []
        for session in sessions where await !session.end(by: deadline, on: clock) { left.append(session) }
        return left
    }

    /// Ends it, in as many attempts as there is time for; false when it was not ended.
    private func end(by deadline: Double, on clock: any GatewayClock) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { (try? await end()) ?? false }
            group.addTask {
                try? await clock.sleep(seconds: max(0, deadline - clock.now.monotonic))
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }

    /// Subscribes it, so that the broker keeps what comes from now on; reads and acknowledges nothing. False when the gateway stops before.
    func subscribe() async throws -> Bool {
        guard case .connected? = try await visit(connection) else { return false }
        return true
    }

    /// Connects once; returns the state then.
    private func visit(_ configuration: MosquittoConfiguration, attempts: Int? = nil) async throws -> Mosquitto.ConnectionState? {
        let client = MosquittoClient(configuration: configuration, logger: logger)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run { WithholdingHandler() } }
            let state = await cancelWhenGracefulShutdown { await client.connection(attempts: attempts) }
            await client.stop()
            try await group.waitForAll()
            return state
        }
    }
}
