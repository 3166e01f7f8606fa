import GatewayConfiguration
import GatewayPipeline
import Logging
import Mosquitto
import ServiceLifecycle
import TelemetryModel

/// Composes the lanes once the broker is there, and runs them.
struct LaneSupervisor: Service {
    let configuration: GatewayConfiguration
    let settings: PipelineSettings
    let instance: Heartbeat.Instance
    let lanes: LaneRegistry
    let egress: Egress
    let status: StatusPublisher
    let directory: StateDirectory?
    let reading: Gate
    let clock: any GatewayClock
    let logger: Logger

    /// Runs the lanes until the gateway stops; reading starts once derived messages can leave.
    func run() async throws {
        defer { reading.open(false) }
        guard await cancelWhenGracefulShutdown({ await egress.client.isConnected() }) else { return }
        // Opened before any lane is known to others: a lane without a thread would answer nobody.
        let plans = await plans()
        let storages = try plans.map { try directory?.storage(of: $0.name, payloadBytes: settings.decode.maximumPayloadBytes) }
        try await run(zip(plans, storages).map(compose))
    }

    private func run(_ services: [LaneService]) async throws {
        let heartbeats = HeartbeatService(
            configuration: configuration, instance: instance, egress: egress,
            lanes: services.map { .init(name: $0.plan.name, client: $0.client, watch: $0.watch) }, clock: clock, logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for service in services { group.addTask { try await service.run() } }
            group.addTask { await cancelWhenGracefulShutdown { await heartbeats.run() } }
            group.addTask {
                for service in services { guard await service.client.isConnected() else { return } }
                reading.open(true)
            }
            try await group.waitForAll()
        }
    }

    private func plans() async -> [LanePlan] {
        let plans = LanePlan.lanes(of: configuration)
        guard plans.count > 1 else { return plans }
        let identities = plans.map { configuration.identity(of: $0.name) }
        guard let shared = identities.first, shared.username != nil || shared.certificateFile != nil,
            identities.dropFirst().contains(shared)
        else { return plans }
        let check = AccountCheck(
            first: .ingress(configuration, plans[0], producers: settings.producers),
            second: .ingress(configuration, plans[1], producers: settings.producers), clock: clock, logger: logger)
        if await check.allowsBoth() { return plans }
        logger.warning(
            """
            the broker lets an account have one connection: all streams share one lane; set lanes.motion.account and \
            lanes.bulk.account to keep depth alarms from waiting behind motion data
            """)
        return [.single(of: configuration)]
    }

    private func compose(_ plan: LanePlan, _ storage: LaneStorage?) throws -> LaneService {
        var connection = MosquittoConfiguration.ingress(configuration, plan, producers: settings.producers)
        connection.niceness = plan.niceness
        let wanted = Set(connection.subscriptions.map(\.filter))
        let filters = directory?.filters(of: plan.name, connection)
        let held = filters?.load() ?? plan.unrecordedFilters(of: configuration, producers: settings.producers)
        connection.unsubscriptions = held.subtracting(wanted).sorted()
        try filters?.store(held.union(wanted))
        let client = MosquittoClient(configuration: connection, logger: logger)
        let mailbox = LaneMailbox(wakeUp: client.wakeUp)
        let egress = egress.with(priority: plan.priority)
        return LaneService(
            plan: plan, client: client, egress: egress,
            watch: LaneWatch(
                gateway: configuration.gateway.name, lane: plan.name.rawValue, instance: instance,
                mayFallBehind: !plan.share.streams.contains(.submersion)),
            mailbox: mailbox, lanes: lanes, status: status,
            settings: .init(
                publishTimeoutSeconds: configuration.mqtt.publishTimeoutSeconds,
                idleStateSeconds: configuration.gateway.idleStateSeconds,
                gateway: configuration.gateway.name),
            clock: clock, logger: logger, noteSubscribed: { try filters?.store(wanted) },
            makeLane: { [settings, admission = lanes.admission] policy in
                Lane(
                    plan: plan, settings: settings, policy: policy, admission: admission, egress: egress, storage: storage)
            })
    }
}
