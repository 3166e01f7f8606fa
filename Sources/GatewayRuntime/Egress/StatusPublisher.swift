import GatewayPipeline
import Mosquitto
import ServiceLifecycle
import TelemetryModel

/// Says on `fathom/{gateway}/status` how the gateway is.
actor StatusPublisher {
    private let template: GatewayStatus
    private let encoder: OutboundEncoder
    private let workers: Workers
    private let egress: Egress
    private let clock: any GatewayClock
    private let started: Double
    private var ingress = "connecting"
    private var registryProblem: String?
    private var releasedBatches = 0

    init(template: GatewayStatus, encoder: OutboundEncoder, workers: Workers, egress: Egress, clock: any GatewayClock) {
        self.template = template
        self.encoder = encoder
        self.workers = workers
        self.egress = egress
        self.clock = clock
        started = clock.now.monotonic
    }

    /// Publishes the status, retained.
    func publish(_ state: GatewayStatus.State) async {
        let now = clock.now
        let snapshot = await workers.snapshot
        var status = template
        status.state = state
        status.at = now.unix
        status.uptime = now.monotonic - started
        status.registeredDevices = snapshot.registered
        status.activeDevices = snapshot.activeDevices
        status.counters = snapshot.counters
        status.turnedAway = snapshot.turnedAway
        status.ingress = ingress
        status.registryProblem = registryProblem
        status.releasedBatches = releasedBatches
        egress.publish([encoder.encode(status)])
    }

    /// Notes whether the registry file that was read last is in force, and says so at once.
    func note(registryProblem problem: String?) async {
        registryProblem = problem
        await publish(.online)
    }

    /// Notes the state of the ingress connection, and says so at once if we can.
    func note(ingress state: String) async {
        ingress = state
        if egress.client.state.isConnected { await publish(.online) }
    }

    /// Notes that a batch was given back to the broker.
    func noteReleasedBatch() { releasedBatches += 1 }
}

/// Repeats the status at the configured interval.
struct StatusService: Service {
    let status: StatusPublisher
    let egress: Egress
    let intervalSeconds: Double
    let clock: any GatewayClock

    /// Publishes while connected: without a connection the outbox would only grow by it.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do { try await clock.sleep(seconds: intervalSeconds) } catch { return }
                if egress.client.state.isConnected { await status.publish(.online) }
            }
        }
    }
}
