import GatewayPipeline
import Logging
import Mosquitto
import ServiceLifecycle

/// Runs the outgoing connection. It starts first and stops last, so that everything else can publish until it has stopped.
struct EgressService: Service {
    let egress: Egress
    let check: InstanceCheck
    let status: StatusPublisher
    let discovery: Discovery?
    let logger: Logger

    /// Runs the connection until the gateway stops, then publishes `offline` and disconnects. Throws at once when a gateway of
    /// the same name is running.
    func run() async throws {
        try await check.run()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await egress.client.run { ImmediateHandler { discovery?.receive($0) } }
            }
            group.addTask { await announceConnections() }
            group.addTask {
                try? await gracefulShutdown()
                await status.publish(.offline)
                await egress.client.stop()
            }
            try await group.waitForAllOrFirstError()
        }
    }

    private func announceConnections() async {
        for await state in egress.client.stateChanges() {
            switch state {
            case .connected:
                await status.publish(.online)
            case .stopped: return
            case .connecting, .disconnected: break
            }
        }
    }
}
