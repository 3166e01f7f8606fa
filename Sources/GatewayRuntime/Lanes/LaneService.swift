import GatewayConfiguration
package import GatewayPipeline
import Logging
package import Mosquitto
import ServiceLifecycle

/// One lane from its session to its checkpoints: reads batches, has them processed, commits, acknowledges.
///
/// The rule: a frame is acknowledged once everything derived from it has been accepted by the broker, and the state that it led to
/// is committed. What cannot be is given back: the socket is dropped, and the broker delivers the frames again.
struct LaneService: Sendable {
    /// How late a timer may fire.
    private static let tickSeconds = 0.1
    /// How often devices that have fallen silent are looked for.
    private static let evictionSeconds = 10.0

    let plan: LanePlan
    let client: MosquittoClient
    let workers: LaneWorkers
    let egress: Egress
    let watch: LaneWatch
    let status: StatusPublisher
    let lanes: Lanes
    let settings: Settings
    let clock: any GatewayClock
    let logger: Logger

    /// What lanes have in common.
    struct Settings: Sendable {
        var settleTimeoutSeconds: Double
        var evictSeconds: Double
        var isDurable: Bool
        var gateway: String
    }

    /// Runs the lane until the gateway stops.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run() }
            group.addTask { await followConnection() }
            group.addTask { try await tick() }
            group.addTask {
                try? await gracefulShutdown()
                await client.stopReading()
            }
            group.addTask {
                try await read()
                await client.stop()
                try await finish()
            }
            try await group.waitForAll()
        }
    }

    private func read() async throws {
        var uncommitted = 0
        var deadline: ContinuousClock.Instant?
        var isFirst = true
        while let batch = await client.nextBatch() {
            FaultPoint.acknowledged.reach()
            watch.heard(at: clock.now.monotonic)
            defer { watch.settled() }
            // The messages of a kept session may come before the SUBACK that makes the connection complete.
            if isFirst, client.state != .connected(sessionPresent: false) { try await workers.run(.resume, at: clock.now) }
            isFirst = false
            let frames = batch.messages.filter { !watch.takeHeartbeat($0, at: clock.now.monotonic) }
            if let rival = watch.rival { throw RivalGateway(name: settings.gateway, started: rival.started) }
            uncommitted += frames.count
            let due = deadline ?? .now + .seconds(plan.checkpointSeconds)
            do {
                let activities = try await workers.process(frames.map(InboundMessage.init), at: clock.now)
                try await lanes.report(activities, at: clock.now)
                guard uncommitted >= plan.checkpointFrames || ContinuousClock.now >= due else {
                    deadline = due
                    batch.hold(until: due)
                    continue
                }
                try await checkpoint()
                batch.commit()
                watch.committed()
                await status.note(storageProblem: nil, of: plan.name)
            } catch {
                batch.release()
                watch.gaveBack(at: clock.now.monotonic)
                await giveBack(frames.count, because: error)
            }
            uncommitted = 0
            deadline = nil
        }
    }

    private func checkpoint() async throws {
        try await workers.checkpoint(at: clock.now) {
            try await egress.settle(within: settings.settleTimeoutSeconds, clock: clock)
        }
    }

    private func giveBack(_ count: Int, because error: any Error) async {
        logger.error(
            "frames given back unacknowledged, the broker will deliver them again",
            metadata: ["lane": "\(plan.name.rawValue)", "messages": "\(count)", "reason": "\(error)"])
        await status.noteReleasedBatch()
        if !(error is NotSettled) { await status.note(storageProblem: "\(error)", of: plan.name) }
    }

    /// What waits outlives the process where states do; elsewhere it is processed now.
    private func finish() async throws {
        if !settings.isDurable { try await workers.run(.drain, at: clock.now) }
        try await workers.run(.end, at: clock.now)
        do {
            try await checkpoint()
        } catch {
            logger.error("the last checkpoint failed", metadata: ["lane": "\(plan.name.rawValue)", "reason": "\(error)"])
        }
    }

    private func tick() async throws {
        try await cancelWhenGracefulShutdown {
            var evictionDue = clock.now.monotonic + Self.evictionSeconds
            while !Task.isCancelled {
                do { try await clock.sleep(seconds: Self.tickSeconds) } catch { return }
                let now = clock.now
                let pace = watch.pace(at: now.monotonic)
                if pace.deafSeconds > 0 { try await workers.run(.postponeWaits(pace.deafSeconds), at: now) }
                try await workers.run(.tick(pace), at: now)
                await workers.publishCommitted(at: now)
                if settings.isDurable, now.monotonic >= evictionDue {
                    try await workers.run(.evict(now.monotonic - settings.evictSeconds), at: now)
                    evictionDue = now.monotonic + Self.evictionSeconds
                }
            }
        }
    }

    private func followConnection() async {
        for await state in client.stateChanges() {
            switch state {
            case .connected(let sessionPresent):
                if watch.connected(sessionPresent: sessionPresent, at: clock.now.monotonic) { await restoreRetained() }
                await status.note("connected", of: plan.name)
            case .disconnected(let reason):
                watch.disconnected()
                await status.note("disconnected: \(reason)", of: plan.name)
            case .connecting: await status.note("connecting", of: plan.name)
            case .stopped: return
            }
        }
    }

    /// A broker that has lost our session has lost what it was to keep, too.
    private func restoreRetained() async {
        logger.warning(
            "the broker has lost our session: what devices sent meanwhile may be gone",
            metadata: ["lane": "\(plan.name.rawValue)"])
        do {
            try await workers.run(.restoreRetained, at: clock.now)
        } catch {
            logger.error("retained messages are not restored", metadata: ["reason": "\(error)"])
        }
    }
}

extension ConnectionState {
    /// Whether the broker has accepted the connection.
    var isConnected: Bool {
        switch self {
        case .connected: true
        case .connecting, .disconnected, .stopped: false
        }
    }
}

extension MosquittoClient {
    /// Waits until the broker has accepted the connection; false when the client stopped, or the task was cancelled, before, and with
    /// `atFirst` when the first attempt failed.
    func isConnected(atFirst: Bool = false) async -> Bool {
        for await state in stateChanges() {
            switch state {
            case .connected: return true
            case .stopped: return false
            case .disconnected where atFirst: return false
            case .connecting, .disconnected: continue
            }
        }
        return false
    }
}

extension InboundMessage {
    /// A message as it was delivered.
    package init(_ message: MQTTMessage) {
        self.init(topic: message.topic, payload: message.payload, retain: message.retain, contentType: message.contentType)
    }
}
