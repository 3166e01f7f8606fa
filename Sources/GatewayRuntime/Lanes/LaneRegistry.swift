import GatewayPipeline
import Synchronization

/// The lanes of a gateway, added when they are composed.
package final class LaneRegistry: Sendable {
    private struct Contents {
        var policy: AccessPolicy
        var lanes: [(mailbox: LaneMailbox, judgesConnections: Bool)] = []
    }

    /// The admission check that all lanes share.
    let admission: Admission
    private let contents: Mutex<Contents>

    init(admission: Admission) {
        self.admission = admission
        contents = Mutex(Contents(policy: admission.policy))
    }

    /// Adds a lane; returns the policy that it begins with. Every later one comes through its mailbox.
    func add(_ mailbox: LaneMailbox, judgesConnections: Bool) -> AccessPolicy {
        contents.withLock { contents in
            contents.lanes.append((mailbox, judgesConnections))
            return contents.policy
        }
    }

    /// Puts another policy into force in all lanes, and returns when it is in force in each. For one caller at a time.
    ///
    /// What it denies is denied everywhere before anything that it permits is permitted anywhere.
    func replace(policy: AccessPolicy) async {
        let denying = admission.policy.restricted(by: policy)
        if denying != admission.policy {
            admission.policy = denying
            await run(.replace(denying), policy: denying)
        }
        guard policy != denying else { return }
        await run(.replace(policy), policy: policy)
        admission.policy = policy
    }

    private func run(_ command: PipelineCommand, policy: AccessPolicy) async {
        let lanes = contents.withLock { contents in
            contents.policy = policy
            return contents.lanes
        }
        await withDiscardingTaskGroup { group in
            for lane in lanes { group.addTask { await lane.mailbox.run(command) } }
        }
    }

    /// Reports activity in one lane to the lane that derives connections.
    func report(_ activities: [DeviceActivity]) {
        guard !activities.isEmpty else { return }
        for lane in contents.withLock({ $0.lanes }) where lane.judgesConnections {
            lane.mailbox.post(.recordActivity(activities))
        }
    }

    /// The counts of all lanes.
    var snapshot: LaneSnapshot {
        get async {
            var snapshot = LaneSnapshot()
            for lane in contents.withLock({ $0.lanes }) {
                let part = await lane.mailbox.snapshot
                snapshot.counters = snapshot.counters + part.counters
                snapshot.activeDevices = max(snapshot.activeDevices, part.activeDevices)
            }
            return snapshot
        }
    }
}
