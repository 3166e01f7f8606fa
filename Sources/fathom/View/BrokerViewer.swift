import GatewayPipeline
import GatewayRuntime
import Mosquitto
import ServiceLifecycle
import TelemetryModel

/// Receives what gateways publish, with a viewer's account, until everything else has stopped.
struct BrokerViewer: Service {
    /// How often `tick` is called, in s.
    private static let tickSeconds = 0.1

    /// The connection, which has the subscriptions.
    let client: MosquittoClient
    let clock: any GatewayClock
    /// Takes each message, its time in unix seconds, on the connection's thread.
    let receive: @Sendable (_ topic: String, _ payload: [UInt8], _ now: Double) -> Void
    /// Called ten times a second with the time in unix seconds, and why nothing is received, nil when connected.
    let tick: @Sendable (_ now: Double, _ problem: String?) -> Void

    /// Runs until a graceful shutdown.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await client.run {
                    ImmediateHandler { messages in
                        let now = clock.now.unix.seconds
                        for message in messages { receive(message.topic, message.payload, now) }
                    }
                }
            }
            group.addTask {
                var due = clock.now.monotonic
                while !Task.isCancelled {
                    tick(clock.now.unix.seconds, problem)
                    // From when it was due, so that the work of a tick makes none later; ticks that were missed are left out.
                    let now = clock.now.monotonic
                    due = max(due + Self.tickSeconds, now + Self.tickSeconds / 4)
                    do { try await clock.sleep(seconds: due - now) } catch { return }
                }
            }
            group.addTask {
                try? await gracefulShutdown()
                // A gateway that stops with this program has stopped; its last messages may still arrive.
                try? await clock.sleep(seconds: 0.2)
                await client.stop()
            }
            try await group.next()
            group.cancelAll()
        }
    }

    private var problem: String? {
        switch client.state {
        case .connected: nil
        case .connecting: "connecting"
        case .disconnected(let reason): reason.description
        case .stopped: "stopped"
        }
    }
}
