import GatewayRuntime
import GatewayTestSupport
import LocalBroker

extension GatewayFixture {
    /// Runs `body` with a publisher and a watcher while `gateway` reads, and ends it in order.
    static func run(
        _ gateway: Gateway, beside broker: BrokerProcess, _ body: (GatewayFixture) async throws -> Void
    ) async throws {
        try await beside(broker) { fixture in
            try await run(gateway) { try await body(fixture) }
        }
    }
}
