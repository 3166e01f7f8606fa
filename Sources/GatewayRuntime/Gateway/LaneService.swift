import GatewayConfiguration
import GatewayPipeline
import Logging
import Mosquitto
import ServiceLifecycle

/// The life of one lane: starts its thread, reports how it is, and ends it.
struct LaneService: Sendable {
    /// What lanes have in common.
    struct Settings: Sendable {
        var publishTimeoutSeconds: Double
        var idleStateSeconds: Double
        var permit: Permit
        var handover: Handover
        /// Whether every retained message is published again at the start.
        var restoresRetained = false
    }

    let plan: LanePlan
    let client: MosquittoClient
    let egress: Egress
    let watch: LaneWatch
    let mailbox: LaneMailbox
    let lanes: LaneRegistry
    let status: StatusPublisher
    let settings: Settings
    private let committing = ThreadPulse()
    let clock: any GatewayClock
    let logger: Logger
    /// Records that the session holds the filters that are wanted and no others.
    let noteSubscribed: @Sendable () throws -> Void
    /// Makes the lane for the policy in force; called on its thread.
    let makeLane: @Sendable (AccessPolicy) throws -> Lane

    /// The interval at which a lane that ends when it is drained checks that, in seconds.
    private static let drainSeconds = 0.05

    /// Runs the lane until the gateway stops.
    func run() async throws { try await run { try? await gracefulShutdown() } }

    /// Runs the lane until everything that the broker had queued for it is processed and committed. Returns false when the gateway stops
    /// before, or the last commit fails.
    func runUntilDrained() async throws -> Bool {
        try await run {
            await cancelWhenGracefulShutdown {
                while !watch.hasDrained(at: clock.now.monotonic) {
                    do { try await clock.sleep(seconds: Self.drainSeconds) } catch { return }
                }
            }
        }
        lanes.remove(mailbox)
        await status.noteEnded(plan.name)
        return watch.hasDrained(at: clock.now.monotonic)
    }

    private func run(until hasToEnd: @escaping @Sendable () async -> Void) async throws {
        let (reports, continuation) = AsyncStream.makeStream(of: LaneContext.Report.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer {
                    continuation.finish()
                    mailbox.close()
                }
                let policy = lanes.add(mailbox, judgesConnections: plan.judgesConnections)
                lanes.add(
                    LaneProbe(name: plan.name, client: client, watch: watch, committing: committing, mailbox: mailbox))
                try await client.run { try start(policy) { continuation.yield($0) } }
            }
            group.addTask { for await report in reports { await note(report) } }
            group.addTask { await followConnection() }
            group.addTask {
                await hasToEnd()
                await client.stop()
            }
            try await group.waitForAllOrFirstError()
        }
    }

    /// Puts back what the gateway's previous run has committed; on the lane's thread, before anything is read.
    private func start(
        _ policy: AccessPolicy, _ report: @escaping @Sendable (LaneContext.Report) -> Void
    ) throws -> LaneSession {
        let lane = try makeLane(policy)
        lane.whileReading = { [pulse = client.pulse] in pulse.beat() }
        let metadata: Logger.Metadata = ["lane": "\(plan.name.rawValue)"]
        let count = try lane.restore(at: clock.now)
        if count > 0 {
            logger.info("states restored", metadata: metadata.merging(["devices": "\(count)"]) { $1 })
            watch.expectBacklog(at: clock.now.monotonic)
        }
        try lane.run(.begin(changesOwner: settings.permit.changesOwner), at: clock.now)
        if settings.restoresRetained { try lane.run(.restoreRetained, at: clock.now) }
        let committer = Committer(
            client: egress.client, permit: settings.permit, timeoutSeconds: settings.publishTimeoutSeconds,
            lane: client.wakeUp, pulse: committing)
        try committer.start(name: "commit-\(plan.name.rawValue)", niceness: plan.niceness)
        return LaneSession(
            lane: lane,
            context: LaneContext(
                handover: settings.handover, permit: settings.permit, idleStateSeconds: settings.idleStateSeconds, egress: egress,
                watch: watch,
                mailbox: mailbox,
                lanes: lanes, wakeUp: client.wakeUp, report: report, clock: clock, logger: logger, metadata: metadata),
            committer: committer)
    }

    private func note(_ report: LaneContext.Report) async {
        switch report {
        case .released: await status.noteReleasedBatch(of: plan.name)
        case .storage(let problem): await status.note(storageProblem: problem, of: plan.name)
        case .clock(let warning): await status.note(warning: warning, of: "clock")
        }
    }

    private func followConnection() async {
        for await state in client.stateChanges() {
            if state.isConnected {
                do { try await BlockingCall.run(noteSubscribed) } catch {
                    logger.error(
                        "the filters of a session are not recorded",
                        metadata: ["lane": "\(plan.name.rawValue)", "reason": "\(error)"])
                }
            }
            await status.note(state, of: plan.name)
        }
    }
}
