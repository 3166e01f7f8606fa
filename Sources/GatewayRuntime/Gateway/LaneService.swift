import GatewayConfiguration
import GatewayPipeline
import Logging
import Mosquitto
import ServiceLifecycle

/// The life of one session and of the lanes that read it: starts its thread, reports how they are, and ends them.
struct LaneService: Sendable {
    /// What lanes have in common.
    struct Settings: Sendable {
        var publishTimeoutSeconds: Double
        var idleStateSeconds: Double
        /// How long the broker may take to deliver again what an earlier run has not acknowledged.
        var redeliverySeconds: Double
        var permit: Permit
        var handover: Handover
        /// Whether every retained message is published again at the start.
        var restoresRetained = false
    }

    /// A lane that reads the session.
    struct Part: Sendable {
        let plan: LanePlan
        let egress: Egress
        let watch: LaneWatch
        let mailbox: LaneMailbox
        let committing = ThreadPulse()
        /// Makes the lane for the policy in force; called on its thread.
        let makeLane: @Sendable (AccessPolicy) throws -> Lane
    }

    let parts: [Part]
    let client: MosquittoClient
    let lanes: LaneRegistry
    let status: StatusPublisher
    let settings: Settings
    let clock: any GatewayClock
    let logger: Logger
    /// Records that the session holds the filters that are wanted and no others.
    let noteSubscribed: @Sendable () throws -> Void

    /// The interval at which a session that ends when it is drained is looked at, in seconds.
    private static let drainSeconds = 0.05

    /// Runs the lanes until the gateway stops.
    func run() async throws { try await run { try? await gracefulShutdown() } }

    /// Runs the lanes until everything that the broker had queued for the session is processed and committed. Returns false when the gateway
    /// stops before, or the last commit fails.
    func runUntilDrained() async throws -> Bool {
        let earliest = clock.now.monotonic + settings.redeliverySeconds
        try await run {
            await cancelWhenGracefulShutdown {
                while clock.now.monotonic < earliest || !hasDrained {
                    do { try await clock.sleep(seconds: Self.drainSeconds) } catch { return }
                }
            }
        }
        for part in parts {
            lanes.remove(part.mailbox)
            await status.noteEnded(part.plan.name)
        }
        return hasDrained
    }

    private var hasDrained: Bool { parts.allSatisfy { $0.watch.hasDrained(at: clock.now.monotonic) } }

    private typealias Report = (report: LaneContext.Report, lane: GatewayConfiguration.Lanes.Name)

    private func run(until hasToEnd: @escaping @Sendable () async -> Void) async throws {
        let (reports, continuation) = AsyncStream.makeStream(of: Report.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer {
                    continuation.finish()
                    for part in parts { part.mailbox.close() }
                }
                let policies = parts.map { lanes.add($0.mailbox, judgesConnections: $0.plan.judgesConnections) }
                for part in parts {
                    lanes.add(
                        LaneProbe(
                            name: part.plan.name, client: client, watch: part.watch, committing: part.committing,
                            mailbox: part.mailbox))
                }
                try await client.run { try start(policies) { continuation.yield($0) } }
            }
            group.addTask { for await (report, lane) in reports { await note(report, of: lane) } }
            group.addTask { await followConnection() }
            group.addTask {
                await hasToEnd()
                await client.stop()
            }
            try await group.waitForAllOrFirstError()
        }
    }

    /// Puts back what the gateway's previous run has committed; on the thread of the session, before anything is read.
    private func start(
        _ policies: [AccessPolicy], _ report: @escaping @Sendable (Report) -> Void
    ) throws -> IngressSession {
        let lanes = try zip(parts, policies).map { part, policy in
            let lane = try part.makeLane(policy)
            lane.whileReading = { [pulse = client.pulse] in pulse.beat() }
            let count = try lane.restore(at: clock.now)
            if count > 0 {
                logger.info("states restored", metadata: ["lane": "\(part.plan.name.rawValue)", "devices": "\(count)"])
                part.watch.expectBacklog(at: clock.now.monotonic)
            }
            return lane
        }
        for lane in lanes { try lane.awaitReplica() }
        return try IngressSession(zip(parts, lanes).map { try session(of: $0, $1, report) })
    }

    private func session(
        of part: Part, _ lane: Lane, _ report: @escaping @Sendable (Report) -> Void
    ) throws -> LaneSession {
        try lane.run(.begin(changesOwner: settings.permit.changesOwner), at: clock.now)
        if settings.restoresRetained { try lane.run(.restoreRetained, at: clock.now) }
        let committer = Committer(
            client: part.egress.client, permit: settings.permit, timeoutSeconds: settings.publishTimeoutSeconds,
            lane: client.wakeUp, pulse: part.committing)
        let name = part.plan.name
        try committer.start(name: "commit-\(name.rawValue)", niceness: part.plan.niceness)
        return LaneSession(
            lane: lane,
            context: LaneContext(
                handover: settings.handover, permit: settings.permit, idleStateSeconds: settings.idleStateSeconds,
                egress: part.egress, watch: part.watch, mailbox: part.mailbox, lanes: lanes, wakeUp: client.wakeUp,
                report: { report(($0, name)) }, clock: clock, logger: logger, metadata: ["lane": "\(name.rawValue)"]),
            committer: committer)
    }

    private func note(_ report: LaneContext.Report, of lane: GatewayConfiguration.Lanes.Name) async {
        switch report {
        case .released: await status.noteReleasedBatch(of: lane)
        case .storage(let problem): await status.note(storageProblem: problem, of: lane)
        case .clock(let warning): await status.note(warning: warning, of: "clock")
        }
    }

    private func followConnection() async {
        for await state in client.stateChanges() {
            if state.isConnected {
                do { try await BlockingCall.run(noteSubscribed) } catch {
                    logger.error(
                        "the filters of a session are not recorded",
                        metadata: ["lane": "\(parts[0].plan.name.rawValue)", "reason": "\(error)"])
                }
            }
            for part in parts { await status.note(state, of: part.plan.name) }
        }
    }
}
