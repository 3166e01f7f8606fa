import Logging
import Mosquitto
import Synchronization

/// Checks whether the broker allows two connections of one account at the same time: where it uses the account as the client id,
/// the second connection ends the first.
struct AccountCheck: Sendable {
    /// The broker closes the first connection before it answers the second.
    private static let watchSeconds = 0.25

    private let first, second: MosquittoConfiguration
    private let clock: any GatewayClock
    private let logger: Logger
    private let report: @Sendable (ConnectionState) async -> Void
    /// The sessions that the check has made.
    private let made = Made()

    private final class Made: Sendable {
        let sessions = Mutex<[MosquittoConfiguration]>([])
    }

    /// A check with the accounts of two lanes' connections. `report` is called with each state of the first connection.
    init(
        first: MosquittoConfiguration, second: MosquittoConfiguration, clock: any GatewayClock, logger: Logger,
        report: @escaping @Sendable (ConnectionState) async -> Void = { _ in }
    ) {
        (self.first, self.second) = (Self.probe(first), Self.probe(second))
        (self.clock, self.logger, self.report) = (clock, logger, report)
    }

    /// A connection with a session of its own, which receives nothing: what a lane's session has queued would be delivered to it, and again to
    /// the lane only after the broker's time for that. Where the account is the client id it is the session of the account nevertheless.
    private static func probe(_ lane: MosquittoConfiguration) -> MosquittoConfiguration {
        var probe = lane
        probe.clientID += "-check"
        (probe.subscriptions, probe.unsubscriptions) = ([], [])
        return probe
    }

    /// Whether both can stay connected. Acknowledges nothing, and leaves no session behind that was not there.
    func allowsBoth() async -> Bool {
        let allows = await connectBoth()
        for session in made.sessions.withLock(\.self) {
            _ = try? await KeptSession(connection: session, logger: logger).end(isBounded: true)
        }
        return allows
    }

    private func note(_ state: ConnectionState, of session: MosquittoConfiguration) {
        guard case .connected(sessionPresent: false) = state else { return }
        made.sessions.withLock { $0.append(session) }
    }

    private func connectBoth() async -> Bool {
        let one = MosquittoClient(configuration: first, logger: logger)
        let other = MosquittoClient(configuration: second, logger: logger)
        return await withTaskGroup(of: Bool?.self) { group in
            group.addTask {
                try? await one.run { WithholdingHandler() }
                return nil
            }
            group.addTask {
                for await state in one.stateChanges() { await report(state) }
                return nil
            }
            group.addTask {
                guard let state = await one.connection() else { return true }
                note(state, of: first)
                return await withTaskGroup(of: Bool?.self) { inner in
                    inner.addTask {
                        try? await other.run { WithholdingHandler() }
                        return nil
                    }
                    inner.addTask { await watch(one, whileConnecting: other) }
                    defer { inner.cancelAll() }
                    while let verdict = await inner.next() { if let verdict { return verdict } }
                    return true
                }
            }
            defer { group.cancelAll() }
            while let verdict = await group.next() { if let verdict { return verdict } }
            return true
        }
    }

    private func watch(_ one: MosquittoClient, whileConnecting other: MosquittoClient) async -> Bool {
        let before = one.statistics.connections
        guard let state = await other.connection() else { return true }
        note(state, of: second)
        try? await clock.sleep(seconds: Self.watchSeconds)
        return one.state.isConnected && one.statistics.connections == before
    }
}

/// Acknowledges nothing, so that the broker delivers everything again.
final class WithholdingHandler: DeliveryHandler {
    func receive(_ messages: [MQTTMessage]) {}

    func review(isStopping: Bool) -> DeliveryDecision { DeliveryDecision(isStopping ? .release : .hold) }
}
