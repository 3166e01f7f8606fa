import GatewayConfiguration
import GatewayPipeline
import Metrics
import Mosquitto

/// Answers how the gateway is: metrics, and the two health checks. It reads what threads have published and waits for none of them.
package struct Monitor: Sendable {
    let configuration: GatewayConfiguration
    let lanes: LaneRegistry
    let egress: Egress
    let ownership: Ownership
    let status: StatusPublisher
    let directory: StateDirectory?
    let keeper: RefusedKeeper
    /// The connection that receives requests; nil where none are answered.
    let requestClient: MosquittoClient?
    let clock: any GatewayClock
    /// The requests that were answered.
    let requests = RequestCounts()

    /// What is stuck: MQTT threads, committers, or the services.
    package func health() async -> [HealthProblem] { await facts().standstills }

    /// Why frames do not flow; what is stuck comes first, warnings last.
    package func readiness() async -> [HealthProblem] {
        let facts = await facts()
        return facts.standstills + facts.obstacles
    }

    /// How many lanes run, and how many of them are connected.
    func connectedLanes() -> (connected: Int, all: Int) {
        let probes = lanes.probes
        return (probes.count(where: \.client.state.isConnected), probes.count)
    }

    private func facts() async -> HealthFacts {
        await status.takeTurn()
        let conditions = status.conditions
        let now = clock.now
        let probes = lanes.probes
        var facts = HealthFacts()
        facts.threads = [
            .init(name: "mqtt-out", age: egress.client.pulse.age), .init(name: "keep-refused", age: keeper.pulse.age),
        ]
        if let requestClient { facts.threads.append(.init(name: "mqtt-query", age: requestClient.pulse.age)) }
        for probe in probes {
            facts.threads.append(.init(name: "mqtt-\(probe.name.rawValue)", age: probe.client.pulse.age))
            facts.threads.append(.init(name: "commit-\(probe.name.rawValue)", age: probe.committing.age))
            facts.lanes.append(
                .init(
                    name: probe.name, isConnected: probe.client.state.isConnected,
                    state: conditions.connections[probe.name] ?? "connecting",
                    heartbeatAge: probe.watch.heartbeatAt.map { now.monotonic - $0 },
                    lacksHeartbeat: probe.watch.lacksHeartbeat(at: now.monotonic),
                    heartbeatAdvice: HeartbeatAccess.advice(HeartbeatAccess.reading, for: configuration.identity(of: probe.name)))
            )
        }
        if facts.lanes.isEmpty {
            // Before lanes run, the check of their accounts may report why they cannot connect.
            facts.lanes = conditions.connections.sorted { $0.key.rawValue < $1.key.rawValue }.map {
                .init(name: $0.key, isConnected: false, state: $0.value, heartbeatAdvice: "")
            }
        }
        facts.outProblem = outProblem
        facts.isNameInDoubt = ownership.permit.epoch != nil && !ownership.permit.isOpen
        facts.storageProblems = conditions.storageProblems
        facts.registryProblem = conditions.registryProblem
        facts.registryAge = conditions.registryPendingSince.map { now.monotonic - $0 }
        facts.warnings = conditions.warnings
        return facts
    }

    private var outProblem: String? {
        // Before the name is won, and while it is in doubt, only the account of claims connects.
        if !ownership.permit.isOpen, let problem = ownership.problem { return problem }
        return switch egress.client.state {
        case .connected: nil
        case .disconnected(let reason): "disconnected: \(reason)"
        case .connecting: "connecting"
        case .stopped: "stopped"
        }
    }
}
