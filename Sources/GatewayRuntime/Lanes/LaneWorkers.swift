package import GatewayPipeline
import Mosquitto
import TelemetryModel

/// All workers of one lane: a batch goes in, a checkpoint comes out.
package actor LaneWorkers {
    private let plan: LanePlan
    /// Whether the lane judges the devices' connections.
    nonisolated var judgesConnections: Bool { plan.judgesConnections }
    private let door: Door
    private let workers: [PipelineWorker]
    private let egress: any OutboundSink
    private let store: CheckpointStore?
    private let quarantine: Quarantine?
    private var committed = CommittedReports()

    /// `count` workers that share the devices by the hash of their ids; `storage` is where the lane's states outlive the process.
    package init(
        plan: LanePlan, settings: PipelineSettings, door: Door, count: Int, egress: any OutboundSink,
        storage: LaneStorage? = nil
    ) {
        self.plan = plan
        self.door = door
        self.egress = egress
        store = storage?.store
        quarantine = storage?.quarantine
        let policy = door.policy
        workers = (0..<count).map { index in
            PipelineWorker(
                plan: plan, settings: settings, policy: policy, shard: .init(index: index, count: count), egress: egress,
                store: storage?.store, tracer: storage?.tracer(of: index))
        }
    }

    /// Takes a batch through door and pipelines; returns once everything derived from it is in the outbox, with what the lane that
    /// judges connections is to hear.
    @discardableResult
    package func process(_ batch: [InboundMessage], at now: GatewayTime) async throws -> [DeviceActivity] {
        let batch = try quarantine?.withhold(from: batch, at: now) ?? batch
        let (known, turnedAway) = door.admit(batch, for: plan.share, at: now)
        egress.publish(turnedAway)
        var shares = Array(repeating: [KnownMessage](), count: workers.count)
        for message in known { shares[Pipeline.Shard.index(of: message.device, among: workers.count)].append(message) }
        return try await withThrowingTaskGroup(of: [DeviceActivity].self) { group in
            for (worker, share) in zip(workers, shares) where !share.isEmpty {
                group.addTask { try await worker.process(share, at: now) }
            }
            var heard: [DeviceActivity] = []
            for try await part in group { heard += part }
            return heard
        }
    }

    /// Takes note of what other lanes have heard.
    package func hear(_ activities: [DeviceActivity], at now: GatewayTime) async throws {
        for worker in workers { try await worker.hear(activities, at: now) }
    }

    /// Lets every worker run `step`; returns once all have. Throws when a state cannot be read.
    package func run(_ step: PipelineStep, at now: GatewayTime) async throws {
        if case .restoreRetained = step { committed.repeatAll() }
        try await withThrowingDiscardingTaskGroup { group in
            for worker in workers { group.addTask { try await worker.run(step, at: now) } }
        }
    }

    /// Puts back what a gateway before us wrote down; returns of how many devices.
    package func restore(at now: GatewayTime) async throws -> Int {
        guard let store else { return 0 }
        let stored = try store.load()
        for worker in workers { await worker.restore(stored, at: now) }
        return stored.count
    }

    /// Commits what has changed, once `settle` has seen everything published that follows from it.
    ///
    /// Afterwards whatever was processed before the call may be acknowledged. On an error nothing may be.
    package func checkpoint(at now: GatewayTime, settle: @Sendable () async throws -> Void) async throws {
        var entries: [StateChange] = []
        do {
            if store != nil { for worker in workers { entries += try await worker.takeCheckpoint() } }
            FaultPoint.processed.reach()
            try await settle()
            FaultPoint.settled.reach()
            try store?.write(entries, at: now)
            FaultPoint.committed.reach()
        } catch {
            for worker in workers { await worker.putBack(entries.map(\.device)) }
            throw error
        }
        for worker in workers { await worker.noteWritten() }
        try quarantine?.absolve()
        publishCommitted(entries, at: now)
    }

    /// Publishes the `committed` messages that are due.
    package func publishCommitted(at now: GatewayTime) { publishCommitted([], at: now) }

    private func publishCommitted(_ entries: [StateChange], at now: GatewayTime) {
        for entry in entries { committed.note(entry.committed, of: entry.device) }
        egress.publish(committed.due(at: now.monotonic))
    }

    /// What all workers have seen.
    package var snapshot: LaneSnapshot {
        get async {
            var snapshot = LaneSnapshot()
            for worker in workers {
                let part = await worker.snapshot
                snapshot.counters = snapshot.counters + part.counters
                snapshot.activeDevices += part.devices
            }
            return snapshot
        }
    }
}

/// Counts over all workers of a lane.
package struct LaneSnapshot: Sendable {
    /// What the pipelines have seen.
    package var counters = PipelineCounters()
    /// Devices that hold state in memory.
    package var activeDevices = 0
}
