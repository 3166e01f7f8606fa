import GatewayConfiguration
import GatewayPipeline
import Logging
import Mosquitto
import ServiceLifecycle

/// Claims the gateway's name, then runs the outgoing connection. It starts first and stops last, so that everything else can publish
/// until it has stopped.
struct EgressService: Service {
    let ownership: Ownership
    let egress: Egress
    /// The account of the connection.
    let identity: GatewayConfiguration.MQTT.Identity
    let status: StatusPublisher
    let discovery: Discovery?
    let retained: RetainedProbe
    /// Keeps what the broker refuses.
    let keeper: RefusedKeeper
    /// The copy of the states, whose owner may have had a higher epoch than is known here; nil for none.
    let replica: StateReplica?
    let clock: any GatewayClock
    let logger: Logger

    /// Runs the connection until the gateway stops, then publishes `offline` and disconnects. Throws `NameTaken` at once when the name
    /// belongs to another gateway.
    func run() async throws {
        try await withGracefulShutdownHandler {
            do { try await runToTheEnd() } catch is StateReplica.Stopped where Task.isShuttingDownGracefully {}
        } onGracefulShutdown: {
            replica?.stop()
        }
    }

    private func runToTheEnd() async throws {
        if let replica { ownership.raise(to: try await BlockingCall.run { try replica.ownerEpoch() }) }
        guard try await ownership.win() else { return }
        try keeper.start()
        defer { keeper.end() }
        let will = MQTTMessage(status.lastWill, epoch: ownership.permit.epoch)
        let (overwritten, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let (published, announced) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let own = status.mark
        try await withThrowingTaskGroup(of: Void.self) { group in
            // What this captures outlives the run for a moment: nothing that holds the state directory.
            group.addTask { [ownership, egress, identity, discovery, retained, clock] in
                try await egress.client.run(adjusting: { connection in
                    connection.will = will
                    connection.version = ownership.version ?? connection.version
                }) {
                    ClaimHandler(ownership, over: egress.client, as: identity, clock: clock) { messages in
                        if messages.contains(where: own.isOverwritten(by:)) { continuation.yield() }
                        discovery?.receive(messages)
                        retained.receive(messages)
                    }
                }
                continuation.finish()
                announced.finish()
            }
            group.addTask { try await ownership.keep(over: egress.client) }
            group.addTask { await announceConnections { announced.yield() } }
            group.addTask { for await warning in keeper.warnings { await status.note(warning: warning, of: "refused topics") } }
            group.addTask {
                for await _ in published where await retained.run(over: egress) { await status.publish(.online) }
            }
            group.addTask {
                for await _ in overwritten where egress.client.state.isConnected { await status.publish(.online) }
            }
            group.addTask {
                try? await gracefulShutdown()
                await status.publish(.offline)
                ownership.release(over: egress.client)
                await egress.client.stop()
                throw Stopped()
            }
            do { try await group.waitForAllOrFirstError() } catch is Stopped { group.cancelAll() }
        }
    }

    /// The gateway has stopped in order.
    private struct Stopped: Error {}

    private func announceConnections(_ announced: () -> Void) async {
        for await state in egress.client.stateChanges() {
            switch state {
            case .connected:
                await status.publish(.online)
                announced()
            case .stopped: return
            case .connecting, .disconnected: break
            }
        }
    }
}
