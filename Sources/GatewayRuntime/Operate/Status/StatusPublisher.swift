import GatewayConfiguration
import GatewayPipeline
import Mosquitto
import ServiceLifecycle
import Synchronization
import TelemetryModel

/// Publishes the gateway's status on `fathom/{gateway}/status`.
actor StatusPublisher {
    /// How many of the costliest devices a status names.
    private static let shownDevices = 5

    private let template: GatewayStatus
    private let encoder: OutboundEncoder
    private let lanes: LaneRegistry
    private let egress: Egress
    private let directory: StateDirectory?
    private let requests: AnsweredRequests?
    private let broker: BrokerRecord
    private let keeper: RefusedKeeper
    private let clock: any GatewayClock
    private let started: Double
    /// Whether `offline` was published, after which a late report must not publish `online`.
    private var hasEnded = false
    /// Changed by the actor alone, and read by any thread.
    private let recorded = Mutex(GatewayConditions())

    init(
        template: GatewayStatus, encoder: OutboundEncoder, lanes: LaneRegistry, egress: Egress, directory: StateDirectory?,
        requests: AnsweredRequests?, broker: BrokerRecord, keeper: RefusedKeeper, clock: any GatewayClock
    ) {
        self.template = template
        self.encoder = encoder
        self.lanes = lanes
        self.egress = egress
        self.directory = directory
        self.requests = requests
        self.broker = broker
        self.keeper = keeper
        self.clock = clock
        started = clock.now.monotonic
    }

    /// The last will: `offline`, without what is not known before it is published.
    nonisolated var lastWill: OutboundMessage { encoder.encode(template) }

    /// What tells this run's status from that of others.
    nonisolated var mark: StatusMark { StatusMark(topic: lastWill.topic, instance: template.instance) }

    /// Publishes the status, retained.
    func publish(_ state: GatewayStatus.State) async {
        guard !hasEnded else { return }
        hasEnded = state == .offline
        let now = clock.now
        let snapshot = lanes.snapshots.values.reduce(LaneSnapshot(), +)
        var status = template
        status.state = state
        status.at = now.unix
        status.mqttVersion = egress.client.statistics.version == .v311 ? "3.1.1" : "5"
        if egress.client.statistics.version == .v311 { status.maximumPacketBytes = nil }
        status.broker = broker.report(out: egress.client.statistics, lanes: lanes.probes.map(\.client.statistics))
        status.uptime = now.monotonic - started
        status.partitions = lanes.admission.policy.partitions
        status.registeredDevices = lanes.admission.policy.registeredCount
        status.activeDevices = snapshot.activeDevices
        status.counters = snapshot.counters
        status.costliest = snapshot.costliest.first(Self.shownDevices, at: now.monotonic)
        status.notAdmitted = snapshot.notAdmitted
        let conditions = conditions
        status.ingress = conditions.ingress
        status.lanes = Dictionary(uniqueKeysWithValues: conditions.lanes.map { ($0.key.rawValue, $0.value) })
        status.isDurable = directory != nil
        status.droppedParts = directory?.droppedParts.first.map(\.description) ?? []
        status.droppedPartCount = directory?.droppedParts.count ?? 0
        status.storageProblem = conditions.storageProblems.values.sorted().first
        status.deadLetters = (directory?.deadLetters).map { (try? $0.names().count) ?? 0 }
        status.registryProblem = conditions.registryProblem
        status.warnings = conditions.warnings
        status.releasedBatches = conditions.releasedBatches.values.reduce(0, +)
        status.requests = requests?.snapshot
        status.refused = keeper.figures
        status.history = directory?.history.figures
        egress.publish([encoder.encode(status)])
    }

    /// Records why the registry file that was read last is not in force, nil when it is, and publishes the status when
    /// connected.
    func note(registryProblem problem: String?) async {
        recorded.withLock { $0.registryProblem = problem }
        if egress.client.state.isConnected { await publish(.online) }
    }

    /// Records since when a change of the registry is not in force or refused, on the monotonic clock; nil for none.
    nonisolated func note(registryPendingSince instant: Double?) { recorded.withLock { $0.registryPendingSince = instant } }

    /// Records what a person should look at though frames flow, nil when it has ended, and publishes the status when that changed.
    func note(warning: String?, of check: String) async {
        guard conditions.warnings[check] != warning else { return }
        recorded.withLock { $0.warnings[check] = warning }
        if egress.client.state.isConnected { await publish(.online) }
    }

    /// Records the state of a lane's connection, and publishes the status when connected. Why the last connection ended stays until
    /// the next one is made.
    func note(_ state: Mosquitto.ConnectionState, of lane: GatewayConfiguration.Lanes.Name) async {
        let text: String
        switch state {
        case .connected: text = "connected"
        case .disconnected(let reason): text = "disconnected: \(reason)"
        case .connecting where conditions.connections[lane]?.hasPrefix("disconnected") != true: text = "connecting"
        case .connecting, .stopped: return
        }
        recorded.withLock { $0.connections[lane] = text }
        if egress.client.state.isConnected { await publish(.online) }
    }

    /// Records that a lane has received no heartbeat for too long, or receives them again, and publishes the status when connected.
    func note(lacksHeartbeat: Bool, of lane: GatewayConfiguration.Lanes.Name) async {
        recorded.withLock { recorded in
            if lacksHeartbeat { recorded.undelivered.insert(lane) } else { recorded.undelivered.remove(lane) }
        }
        if egress.client.state.isConnected { await publish(.online) }
    }

    /// Records that a lane has ended before the gateway does.
    func noteEnded(_ lane: GatewayConfiguration.Lanes.Name) {
        recorded.withLock { recorded in
            recorded.connections[lane] = nil
            recorded.undelivered.remove(lane)
            recorded.storageProblems[lane] = nil
        }
    }

    /// Records why a lane's checkpoints cannot be written, nil when they can, and publishes the status when that changed.
    func note(storageProblem problem: String?, of lane: GatewayConfiguration.Lanes.Name) async {
        guard conditions.storageProblems[lane] != problem else { return }
        recorded.withLock { $0.storageProblems[lane] = problem }
        if egress.client.state.isConnected { await publish(.online) }
    }

    /// Records that a batch of a lane was released to the broker.
    func noteReleasedBatch(of lane: GatewayConfiguration.Lanes.Name) {
        recorded.withLock { $0.releasedBatches[lane, default: 0] += 1 }
    }

    /// What has been recorded. Waits for nothing: a scrape must not take its turn among tasks.
    nonisolated var conditions: GatewayConditions { recorded.withLock { $0 } }

    /// Returns once the actor has run: that it does shows that tasks run.
    func takeTurn() {}
}

/// What the services have reported of themselves.
struct GatewayConditions: Sendable {
    /// The state of each lane's connection, with the reason where it is not connected.
    var connections: [GatewayConfiguration.Lanes.Name: String] = [:]
    /// The lanes that have received no heartbeat for too long.
    var undelivered: Set<GatewayConfiguration.Lanes.Name> = []
    /// Why a lane's checkpoints cannot be written.
    var storageProblems: [GatewayConfiguration.Lanes.Name: String] = [:]
    /// Why the registry file that was read last is not in force.
    var registryProblem: String?
    /// Since when a change of the registry is not in force or refused, on the monotonic clock; nil for none.
    var registryPendingSince: Double?
    /// What a person should look at though frames flow, by what it is about (`clock`, `refused topics`).
    var warnings: [String: String] = [:]
    /// Batches released to the broker.
    var releasedBatches: [GatewayConfiguration.Lanes.Name: Int] = [:]

    /// What the status says of a lane that is connected and has received no heartbeat for too long.
    static let noHeartbeat = "no heartbeat: the broker refuses it or does not deliver, or the lane is behind"

    /// The state of each lane, which is `connected` only where frames are received too, as far as the gateway knows.
    var lanes: [GatewayConfiguration.Lanes.Name: String] {
        var states = connections
        for lane in undelivered where states[lane] == "connected" { states[lane] = Self.noHeartbeat }
        return states
    }

    /// `connected` when every lane is; else the state of the first that is not.
    var ingress: String {
        let states = lanes.sorted { $0.key.rawValue < $1.key.rawValue }.map(\.value)
        return states.first { $0 != "connected" } ?? states.first ?? "connecting"
    }
}

/// What tells the status of a run from that of others.
struct StatusMark: Sendable {
    /// The topic of the status.
    let topic: String
    /// The run.
    let instance: String?

    /// Whether a message is the status of another run, the last will of an earlier one for instance, which has replaced this one's.
    func isOverwritten(by message: MQTTMessage) -> Bool {
        guard message.topic == topic, !message.retain else { return false }
        let member = try? JSONSplitter().split(message.payload[...], "instance").first
        return member??.text != instance
    }
}

/// Repeats the status at the configured interval.
struct StatusService: Service {
    let status: StatusPublisher
    let egress: Egress
    let intervalSeconds: Double
    let clock: any GatewayClock

    /// Publishes while connected: without a connection the statuses would only fill the outbox.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do { try await clock.sleep(seconds: intervalSeconds) } catch { return }
                if egress.client.state.isConnected { await status.publish(.online) }
            }
        }
    }
}
