import GatewayConfiguration
import GatewayPipeline
import Synchronization
import TelemetryModel

/// The lanes of a gateway, added when they are composed.
package final class LaneRegistry: Sendable {
    private struct Contents {
        var policy: AccessPolicy
        var lanes: [(mailbox: LaneMailbox, judgesConnections: Bool)] = []
        var probes: [LaneProbe] = []
        /// The counts of lanes that were removed.
        var removed: [GatewayConfiguration.Lanes.Name: LaneSnapshot] = [:]
        /// What was reported while no lane that derives connections was running.
        var activities: [DeviceActivity] = []
        /// The lanes that may not have received yet what devices have sent, besides that which derives connections.
        var late: Set<GatewayConfiguration.Lanes.Name> = []
    }

    /// More activities than this are not kept for a lane that is not running yet: the oldest are dropped.
    private static let mostActivities = 100_000

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
            if judgesConnections {
                if !contents.activities.isEmpty { mailbox.post(.recordActivity(contents.activities)) }
                if !contents.late.isEmpty { mailbox.post(.awaitActivity(true)) }
                contents.activities = []
            }
            return contents.policy
        }
    }

    /// Removes a lane that has ended, and keeps its counts.
    func remove(_ mailbox: LaneMailbox) {
        var last = mailbox.snapshot
        last.activeDevices = 0
        last.held = 0
        last.fleet = FleetStates()
        last.costliest = CostliestDevices()
        contents.withLock { contents in
            contents.lanes.removeAll { $0.mailbox === mailbox }
            contents.probes.removeAll { $0.mailbox === mailbox }
            contents.removed[mailbox.lane] = contents.removed[mailbox.lane].map { $0 + last } ?? last
        }
        note(mailbox.lane, isUpToDate: true)
    }

    /// Adds what can be read of a running lane.
    func add(_ probe: LaneProbe) { contents.withLock { $0.probes.append(probe) } }

    /// What can be read of the running lanes.
    var probes: [LaneProbe] { contents.withLock { $0.probes } }

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

    /// Reports activity in one lane to the lane that derives connections; kept until that lane runs.
    func report(_ activities: [DeviceActivity]) {
        guard !activities.isEmpty else { return }
        let judges = contents.withLock { contents in
            let judges = contents.lanes.filter(\.judgesConnections)
            if judges.isEmpty { contents.activities += activities }
            if contents.activities.count > 2 * Self.mostActivities {
                contents.activities.removeFirst(contents.activities.count - Self.mostActivities)
            }
            return judges
        }
        for lane in judges { lane.mailbox.post(.recordActivity(activities)) }
    }

    /// Records whether a lane has received what devices have sent, and reports to the lane that derives connections whether all others have:
    /// until then missing activity does not count as silence.
    func note(_ lane: GatewayConfiguration.Lanes.Name, isUpToDate: Bool) {
        // Posted in the order of the changes, which come from several threads.
        contents.withLock { contents in
            let wasLate = !contents.late.isEmpty
            if isUpToDate { contents.late.remove(lane) } else { contents.late.insert(lane) }
            let isLate = !contents.late.isEmpty
            guard isLate != wasLate else { return }
            for judge in contents.lanes where judge.judgesConnections { judge.mailbox.post(.awaitActivity(isLate)) }
        }
    }

    /// Has the lanes set aside what a query could not read. Waits for no lane.
    func setAside(_ damage: StoredDamage) {
        for lane in contents.withLock(\.lanes) { lane.mailbox.post(.setAside(damage)) }
    }

    /// The last message of each kind of `device` that the lanes have in memory.
    func messages(of device: DeviceID) async -> [StoredMessage] {
        var messages: [StoredMessage] = []
        for lane in contents.withLock(\.lanes) { messages += await lane.mailbox.messages(of: device) }
        return messages
    }

    /// Erases everything that the lanes store of `device`; true once all have committed that.
    func erase(_ device: DeviceID) async -> Bool {
        let lanes = contents.withLock(\.lanes)
        guard !lanes.isEmpty else { return false }
        return await withTaskGroup(of: Bool.self) { group in
            for lane in lanes { group.addTask { await lane.mailbox.erase(device) } }
            return await group.reduce(true) { $0 && $1 }
        }
    }

    /// Acknowledges an alarm of `device` in the lane that has it; returns once that is committed.
    func acknowledge(_ acknowledgement: AlarmAcknowledgement, of device: DeviceID) async -> AlarmAnswer {
        var answer = AlarmAnswer.notRaised
        for lane in contents.withLock(\.lanes) {
            switch await lane.mailbox.acknowledge(acknowledgement, of: device) {
            case .acknowledged(let alarm): return .acknowledged(alarm)
            case .failed: answer = .failed
            case .notRaised: break
            }
        }
        return answer
    }

    /// The counts of each lane, as its thread has published them last. Waits for no lane.
    var snapshots: [GatewayConfiguration.Lanes.Name: LaneSnapshot] {
        let (lanes, removed) = contents.withLock { ($0.lanes.map(\.mailbox), $0.removed) }
        return lanes.reduce(into: removed) { snapshots, mailbox in
            let snapshot = mailbox.snapshot
            snapshots[mailbox.lane] = snapshots[mailbox.lane].map { $0 + snapshot } ?? snapshot
        }
    }
}
