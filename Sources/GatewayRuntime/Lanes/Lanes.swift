import GatewayPipeline
import Synchronization

/// The lanes of a gateway, once it is known which there are.
package final class Lanes: Sendable {
    /// The door before all of them.
    let door: Door
    private let workers = Mutex<[LaneWorkers]>([])

    init(door: Door) { self.door = door }

    /// Takes the workers of all lanes.
    func install(_ all: [LaneWorkers]) { workers.withLock { $0 = all } }

    /// Puts another policy into force in all lanes.
    func replace(policy: AccessPolicy, at now: GatewayTime) async throws {
        door.policy = policy
        for lane in workers.withLock({ $0 }) { try await lane.run(.replace(policy), at: now) }
    }

    /// Lets the lane that judges connections hear what another has heard.
    func report(_ activities: [DeviceActivity], at now: GatewayTime) async throws {
        guard !activities.isEmpty else { return }
        for lane in workers.withLock({ $0 }) where lane.judgesConnections { try await lane.hear(activities, at: now) }
    }

    /// What all lanes have seen.
    var snapshot: LaneSnapshot {
        get async {
            var snapshot = LaneSnapshot()
            for lane in workers.withLock({ $0 }) {
                let part = await lane.snapshot
                snapshot.counters = snapshot.counters + part.counters
                snapshot.activeDevices = max(snapshot.activeDevices, part.activeDevices)
            }
            return snapshot
        }
    }
}
