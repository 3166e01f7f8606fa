import GatewayPipeline
import Synchronization

/// The lanes of a gateway, once it is known which there are.
package final class Lanes: Sendable {
    /// The door before all of them.
    let door: Door
    private let workers = Mutex<[LaneWorkers]>([])

    init(door: Door) { self.door = door }

    /// Takes the workers of all lanes, and gives them the policy that changed while they were composed.
    func install(_ all: [LaneWorkers], at now: GatewayTime) async throws {
        workers.withLock { $0 = all }
        var policy: AccessPolicy
        repeat {
            policy = door.policy
            for lane in all { try await lane.run(.replace(policy), at: now) }
            // Another one may have come meanwhile, and been overtaken.
        } while policy != door.policy
    }

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
