import GatewayPipeline
import GatewayRuntime
import Mosquitto
import ServiceLifecycle
import Synchronization
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
    /// Takes the time in unix seconds, and why nothing is received, nil when connected: ten times a second, and on the
    /// connection's thread when a connection is lost, before anything of the next one is received.
    let note: @Sendable (_ now: Double, _ problem: String?) -> Void
    /// Called ten times a second with the time in unix seconds, after `note`.
    let tick: @Sendable (_ now: Double) -> Void
    private let losses = Losses()

    /// Runs until a graceful shutdown.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await client.run {
                    ImmediateHandler { messages in
                        let now = clock.now.unix.seconds
                        for message in messages { receive(message.topic, message.payload, now) }
                    } whenDisconnected: {
                        noteLoss()
                    }
                }
            }
            group.addTask {
                var due = clock.now.monotonic
                while !Task.isCancelled {
                    noteState()
                    tick(clock.now.unix.seconds)
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
                // The end of the program is no loss.
                losses.last.withLock { $0 = .max }
                await client.stop()
            }
            try await group.next()
            group.cancelAll()
        }
    }

    /// The last connection that was lost.
    private final class Losses: Sendable {
        /// Which it was, counted from 1; 0 for none. `note` is called while it is locked, so that no state of before a loss
        /// is noted after it.
        let last = Mutex(0)
    }

    private static let lost = "lost"

    private func noteState() { losses.last.withLock { last in note(clock.now.unix.seconds, problem(afterLoss: last)) } }

    /// Notes the end of a connection: the next one may be made before `tick` is called, and then what the broker has cleared
    /// meanwhile is never sent. The end of a mere attempt is none.
    private func noteLoss() {
        losses.last.withLock { last in
            let connections = client.statistics.connections
            guard connections > last else { return }
            last = connections
            note(clock.now.unix.seconds, Self.lost)
        }
    }

    private func problem(afterLoss last: Int) -> String? {
        switch client.state {
        // The client's state changes after the loss is noted.
        case .connected: client.statistics.connections == last ? Self.lost : nil
        case .connecting: "connecting"
        case .disconnected(let reason): reason.description
        case .stopped: "stopped"
        }
    }
}
