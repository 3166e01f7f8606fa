import Logging
import Mosquitto

/// Checks whether the broker allows two connections of one account at the same time: where it uses the account as the client id,
/// the second connection ends the first.
struct AccountCheck: Sendable {
    /// The broker closes the first connection before it answers the second.
    private static let watchSeconds = 0.25

    /// The connections of two lanes, as they will be.
    let first, second: MosquittoConfiguration
    let clock: any GatewayClock
    let logger: Logger
    /// Called with each state of the first connection.
    var report: @Sendable (ConnectionState) async -> Void = { _ in }

    /// Whether both can stay connected. Reads and acknowledges nothing.
    func allowsBoth() async -> Bool {
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
                guard await one.isConnected() else { return true }
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
        guard await other.isConnected() else { return true }
        try? await clock.sleep(seconds: Self.watchSeconds)
        return one.state.isConnected && one.statistics.connections == before
    }
}

/// Acknowledges nothing, so that the broker delivers everything again.
final class WithholdingHandler: DeliveryHandler {
    private let mayRead: Bool

    /// Without `mayRead` nothing more is read once the connection is subscribed.
    init(mayRead: Bool = true) { self.mayRead = mayRead }

    func receive(_ messages: [MQTTMessage]) {}

    func review(isStopping: Bool) -> DeliveryDecision { DeliveryDecision(isStopping ? .release : .hold, mayRead: mayRead) }
}
