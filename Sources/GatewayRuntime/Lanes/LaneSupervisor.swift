import GatewayConfiguration
import GatewayPipeline
import Logging
import ServiceLifecycle

/// Composes the lanes once the broker is there, and runs them.
struct LaneSupervisor: Service {
    let composer: LaneComposer
    let reading: Gate

    /// Runs the lanes until the gateway stops; reading starts once derived messages can leave.
    func run() async throws {
        defer { reading.open(false) }
        guard await cancelWhenGracefulShutdown({ await composer.egress.client.isConnected() }) else { return }
        let (plans, areSessionsShared) = await cancelWhenGracefulShutdown { await self.plans() }
        guard !Task.isShuttingDownGracefully else { return }
        if let directory = composer.directory {
            let transfer = StreamTransfer(
                composer: composer, directory: directory, plans: plans, areSessionsShared: areSessionsShared)
            guard try await transfer.run() else { return }
        }
        // Opened before any lane is known to others: a lane without a thread would answer nobody.
        try await run(plans.map { try composer.compose($0) })
    }

    private func run(_ services: [LaneService]) async throws {
        let heartbeats = composer.heartbeats(of: services)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for service in services { group.addTask { try await service.run() } }
            group.addTask { await cancelWhenGracefulShutdown { await heartbeats.run() } }
            group.addTask {
                for service in services { guard await service.client.isConnected() else { return } }
                reading.open(true)
            }
            try await group.waitForAllOrFirstError()
        }
    }

    /// The lanes, and whether all connections of one account have the same session at the broker.
    private func plans() async -> ([LanePlan], areSessionsShared: Bool) {
        let configuration = composer.configuration
        let plans = LanePlan.lanes(of: configuration)
        guard let (first, second) = LanePlan.ofOneAccount(plans, in: configuration) else { return (plans, false) }
        let check = AccountCheck(
            first: composer.connection(of: first), second: composer.connection(of: second), clock: composer.clock,
            logger: composer.logger
        ) { [status = composer.status] state in
            // The lane itself reports when it is connected.
            if !state.isConnected { await status.note(state, of: first.name) }
        }
        if await check.allowsBoth() { return (plans, false) }
        composer.logger.warning(
            """
            the broker lets an account have one connection: all streams share one lane; set lanes.motion.account and \
            lanes.bulk.account to keep depth alarms from waiting behind motion data
            """)
        return ([.single(of: configuration)], true)
    }
}
