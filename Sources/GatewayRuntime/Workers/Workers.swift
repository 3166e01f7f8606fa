package import GatewayPipeline
import TelemetryModel

/// All workers, and the door before them.
package actor Workers {
    private var door: Doorkeeper
    private let workers: [PipelineWorker]
    private let egress: any OutboundSink

    /// `count` workers that share the devices by the hash of their ids.
    package init(settings: PipelineSettings, policy: AccessPolicy, count: Int, egress: any OutboundSink) {
        door = Doorkeeper(policy: policy, settings: settings)
        self.egress = egress
        workers = (0..<count).map { index in
            PipelineWorker(
                settings: settings, policy: policy, shard: .init(index: index, count: count), egress: egress)
        }
    }

    /// Takes a batch through door and pipelines; returns once everything derived from it is in the outbox.
    package func process(_ batch: [InboundMessage], at now: GatewayTime) async {
        var shares = Array(repeating: [KnownMessage](), count: workers.count)
        var turnedAway: [OutboundMessage] = []
        for message in batch {
            guard let known = door.admit(message, at: now, into: &turnedAway) else { continue }
            shares[Pipeline.Shard.index(of: known.device, among: workers.count)].append(known)
        }
        egress.publish(turnedAway)
        await withDiscardingTaskGroup { group in
            for (worker, share) in zip(workers, shares) where !share.isEmpty {
                group.addTask { await worker.process(share, at: now) }
            }
        }
    }

    /// Lets every worker run `step`; returns once all have.
    package func run(_ step: PipelineStep, at now: GatewayTime) async {
        if case .replace(let policy) = step { door.policy = policy }
        await withDiscardingTaskGroup { group in
            for worker in workers { group.addTask { await worker.run(step, at: now) } }
        }
    }

    /// What all workers have seen, and what the door turned away.
    package var snapshot: Snapshot {
        get async {
            var snapshot = Snapshot(turnedAway: door.rejected, registered: door.policy.devices.count)
            for worker in workers {
                let part = await worker.snapshot
                snapshot.counters = snapshot.counters + part.counters
                snapshot.activeDevices += part.devices
            }
            return snapshot
        }
    }

    /// Counts over all workers.
    package struct Snapshot: Sendable {
        /// What the pipelines have seen.
        package var counters = PipelineCounters()
        /// Messages turned away at the door, by reason.
        package var turnedAway: [RejectionReason: Int]
        /// Registered devices.
        package var registered: Int
        /// Devices that hold state.
        package var activeDevices = 0
    }
}
