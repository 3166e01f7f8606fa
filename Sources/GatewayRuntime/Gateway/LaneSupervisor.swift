import GatewayConfiguration
import GatewayPipeline
import Logging
import Mosquitto
import ServiceLifecycle

/// Composes the lanes once the broker is there, and runs them.
struct LaneSupervisor: Service {
    var composer: LaneComposer
    let reading: Gate
    /// Whether lanes may begin without state where the broker has kept their sessions.
    let withoutState: Bool
    /// Whether the sessions of the lanes are subscribed, and nothing is read.
    let subscribesOnly: Bool

    /// How long a stop that hands devices over tries to end the sessions, in seconds; less than the `StopDeadline` of such a stop.
    private static let endSeconds = 40.0

    /// Runs the lanes until the gateway stops; reading starts once derived messages can leave.
    func run() async throws {
        defer { reading.open(false) }
        guard await cancelWhenGracefulShutdown({ await composer.egress.client.isConnected() }) else { return }
        var supervisor = self
        if composer.egress.client.statistics.version == .v311 { supervisor.composer.configuration.mqtt.version = .v311 }
        let (running, replica) = (supervisor, composer.replica)
        try await withGracefulShutdownHandler {
            do { try await running.runLanes() } catch is StateReplica.Stopped where Task.isShuttingDownGracefully {}
        } onGracefulShutdown: {
            replica?.stop()
        }
    }

    private func runLanes() async throws {
        var composer = composer
        if !subscribesOnly {
            try await beginReplica()
            guard try await mayBegin(&composer) else { return }
        }
        let sessions = await cancelWhenGracefulShutdown { await self.sessions() }
        guard !Task.isShuttingDownGracefully else { return }
        if subscribesOnly { return try await subscribe(sessions) }
        if let directory = composer.directory {
            guard try await FormerSessions(composer: composer, directory: directory, sessions: sessions).read() else { return }
        }
        // Opened before any lane is known to others: a lane without a thread would answer nobody.
        try await run(BlockingCall.run { [composer] in try sessions.map { try composer.compose($0) } })
        if composer.handover.isRequested { try await end(sessions) }
    }

    /// Subscribes the sessions, so that the broker keeps the frames of their devices from now on.
    private func subscribe(_ sessions: [[LanePlan]]) async throws {
        for session in sessions {
            // A directory without states stays empty: a start before they are imported is refused.
            guard try await composer.hold(session, in: composer.directory.flatMap { $0.isEmpty ? nil : $0 }) else {
                throw GatewayError("the gateway was stopped before its sessions were subscribed")
            }
        }
        composer.logger.notice(
            "the sessions are subscribed: the broker keeps what devices publish from now on",
            metadata: ["sessions": "\(sessions.count)"])
    }

    /// Records the hand-over, and then ends the sessions: the broker keeps nothing more for this name. Throws, and ends none, where a lane has
    /// not committed everything, or the hand-over cannot be recorded: the gateway may then be started again.
    private func end(_ sessions: [[LanePlan]]) async throws {
        if let plan = sessions.joined().first(where: { !composer.handover.hasCommitted($0.name) }) {
            throw GatewayError(
                "the lane \(plan.name.rawValue) has not committed everything: its devices are not handed over, and the sessions stay at the "
                    + "broker. Start the gateway again, and repeat the hand-over")
        }
        // Before any session is ended: a gateway that is started again without one would go on without the frames in between. The bucket
        // first: a gateway whose directory is marked does not start again, and could not repeat it.
        try await BlockingCall.run { [replica = composer.replica, directory = composer.directory] in
            try replica?.noteHandover()
            try directory?.noteHandover()
        }
        // Nobody else would: who takes the devices announces them, and itself under its own name.
        if let removal = composer.discovery?.gatewayRemoval { composer.egress.client.enqueue([removal]) }
        let ending = sessions.map { KeptSession(connection: composer.connection(of: $0), logger: composer.logger) }
        // Not a part of the stop, which would cancel it.
        let kept = await Task.detached { [clock = composer.clock] in
            await KeptSession.end(ending, within: Self.endSeconds, on: clock)
        }.value
        guard kept.isEmpty else {
            let names = kept.map(\.connection.clientID).joined(separator: ", ")
            throw GatewayError(
                "the devices are handed over: export their states. The broker did not end the sessions \(names) in time: remove them "
                    + "there, as they collect what nobody reads")
        }
        composer.logger.notice("the devices are handed over: export their states", metadata: ["sessions": "\(sessions.count)"])
    }

    /// Has the state directory hold the latest states, which may be those in the key-value store.
    private func beginReplica() async throws {
        guard let directory = composer.directory else { return }
        guard let replica = composer.replica else {
            // What is committed from now on is in no bucket.
            return try await BlockingCall.run { directory.clearReplica() }
        }
        let gateway = StoppedGateway(
            configuration: composer.configuration, settings: composer.settings, policy: composer.lanes.admission.policy,
            directory: directory, clock: composer.clock)
        try await BlockingCall.run { try replica.begin(directory, gateway) }
    }

    /// Throws when the broker has kept the session of a lane and the state directory is empty: what was queued would be derived
    /// without the state before it. False when the gateway stops before that is known. Records in `composer` that no session was kept.
    private func mayBegin(_ composer: inout LaneComposer) async throws -> Bool {
        guard let directory = composer.directory, directory.isEmpty else { return true }
        composer.hasNewSessions = true
        for plan in LanePlan.lanes(of: composer.configuration) {
            let session = KeptSession(connection: composer.connection(of: [plan]), logger: composer.logger)
            guard let isKept = try await session.isKept() else { return false }
            guard isKept else { continue }
            composer.hasNewSessions = false
            guard withoutState else {
                throw GatewayError(
                    "gateway.stateDirectory: \(directory.path) holds nothing for the session \(session.connection.clientID), which the "
                        + "broker has kept: what it has queued would be derived without the state before it. Put the directory back, or "
                        + "start once with --without-state. If the broker is NATS, \(KeptSession.natsAdvice)")
            }
            composer.logger.warning(
                "the broker has kept a session of which there is no state: its devices begin anew",
                metadata: ["lane": "\(plan.name.rawValue)"])
        }
        return true
    }

    private func run(_ services: [LaneService]) async throws {
        let heartbeats = composer.heartbeats(of: services)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for service in services {
                group.addTask { [replica = composer.replica] in
                    do { try await service.run() } catch {
                        // The other lanes may be waiting for what this one writes.
                        replica?.stop()
                        throw error
                    }
                }
            }
            group.addTask { await cancelWhenGracefulShutdown { await heartbeats.run() } }
            group.addTask { [composer] in
                for service in services { guard await service.client.isConnected() else { return } }
                reading.open(true)
                let devices = composer.lanes.admission.policy.devices.count
                composer.logger.notice("ready: what devices publish is read", metadata: ["devices": "\(devices)"])
            }
            try await group.waitForAllOrFirstError()
        }
    }

    /// The lanes, grouped by the session that they read.
    private func sessions() async -> [[LanePlan]] {
        let configuration = composer.configuration
        let plans = LanePlan.lanes(of: configuration)
        guard let (first, second) = LanePlan.ofOneAccount(plans, in: configuration) else { return plans.map { [$0] } }
        let check = AccountCheck(
            first: composer.connection(of: [first]), second: composer.connection(of: [second]), clock: composer.clock,
            logger: composer.logger
        ) { [status = composer.status] state in
            // The lane itself reports when it is connected.
            if !state.isConnected { await status.note(state, of: first.name) }
        }
        if await check.allowsBoth() { return plans.map { [$0] } }
        composer.logger.warning(
            """
            the broker lets an account have one connection: the lanes share one session; set lanes.motion.account and \
            lanes.bulk.account to keep depth alarms from waiting behind motion data
            """)
        return [LanePlan.sharing(in: configuration)]
    }
}
