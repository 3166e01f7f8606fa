import GatewayConfiguration
import GatewayPipeline
import Logging
import Mosquitto
import ServiceLifecycle
import TelemetryModel

/// Composes the lanes once the broker is there, puts back what a gateway before us wrote down, and runs them.
struct LanesService: Service {
    let configuration: GatewayConfiguration
    let settings: PipelineSettings
    let instance: Heartbeat.Instance
    let lanes: Lanes
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
        let services = try await plans().map(compose)
        try await lanes.install(services.map(\.workers), at: clock.now)
        for service in services {
            let count = try await service.workers.restore(at: clock.now)
            if count > 0 {
                logger.info("states restored", metadata: ["lane": "\(service.plan.name.rawValue)", "devices": "\(count)"])
                service.watch.expectBacklog(at: clock.now.monotonic)
            }
            try await service.workers.run(.begin, at: clock.now)
        }
        try await run(services)
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

    private func compose(_ plan: LanePlan) throws -> LaneService {
        let count = Gateway.processorCount
        let lane = egress.with(priority: plan.priority)
        let workers = LaneWorkers(
            plan: plan, settings: settings, door: lanes.door, count: count, egress: lane,
            storage: try directory?.storage(of: plan.name, workers: count, payloadBytes: settings.decode.maximumPayloadBytes))
        return LaneService(
            plan: plan,
            client: MosquittoClient(configuration: .ingress(configuration, plan, producers: settings.producers), logger: logger),
            workers: workers,
            egress: lane,
            watch: LaneWatch(
                gateway: configuration.gateway.name, lane: plan.name.rawValue, instance: instance,
                mayFallBehind: !plan.share.streams.contains(.submersion)), status: status,
            lanes: lanes,
            settings: .init(
                settleTimeoutSeconds: configuration.mqtt.publishTimeoutSeconds,
                evictSeconds: configuration.gateway.idleStateSeconds,
                isDurable: directory != nil, gateway: configuration.gateway.name), clock: clock, logger: logger)
    }
}
