import GatewayConfiguration
import GatewayPipeline
import GatewayTestSupport
import LocalBroker
import Mosquitto
import Synchronization
import TelemetryModel
import Testing

@testable import GatewayRuntime

@Suite("A registry that is put into force in all lanes")
struct LaneRegistryTests {
    /// A lane's mailbox with a task that answers it, and the policies that came through it.
    private final class FakeLane: Sendable {
        let mailbox = LaneMailbox(lane: .safety, wakeUp: WakeUp())
        let policies = Mutex<[AccessPolicy]>([])

        func answer() async {
            while !Task.isCancelled {
                for request in mailbox.take() {
                    if case .run(.replace(let policy), let done) = request {
                        policies.withLock { $0.append(policy) }
                        done?.resume()
                    }
                }
                await Task.yield()
            }
        }
    }

    private static func policy(_ entitlements: [String: DepthEntitlement]) -> AccessPolicy {
        var policy = AccessPolicy()
        for (name, entitlement) in entitlements {
            if let device = DeviceID(name) { policy.devices[device] = DevicePolicy(entitlement: entitlement) }
        }
        return policy
    }

    private let old = policy(["kept": .full, "reduced": .full, "removed": .full, "raised": .shallow])
    private let new = policy(["kept": .full, "reduced": .none, "added": .full, "raised": .full])
    private let denying = policy(["kept": .full, "reduced": .none, "raised": .shallow])

    private func registry() -> LaneRegistry {
        LaneRegistry(admission: Admission(policy: old))
    }

    @Test("what both policies permit is what neither denies")
    func restriction() throws {
        let added = try #require(DeviceID("added"))
        #expect(old.restricted(by: new) == denying)
        #expect(old.restricted(by: old) == old)
        let fromEverybody = AccessPolicy(unknown: .everything).restricted(by: new)
        #expect(fromEverybody.devices[added]?.entitlement == .full)
        #expect(fromEverybody.devices[added]?.needsSession == true)
        #expect(fromEverybody.unknown == nil)
    }

    @Test("denials are in force everywhere before anything is permitted, and a lane that is late delays permissions only")
    func order() async throws {
        let registry = registry()
        let (prompt, late) = (FakeLane(), FakeLane())
        for lane in [prompt, late] { #expect(registry.add(lane.mailbox, judgesConnections: false) == old) }
        async let replaced: Void = registry.replace(policy: new)
        async let _ = prompt.answer()
        try await eventually("the prompt lane has run the command") { !prompt.policies.withLock { $0.isEmpty } }
        // The other lane has not run the command yet: what is denied is denied at admission, what is new is not permitted
        // anywhere.
        #expect(registry.admission.policy == denying)
        #expect(prompt.policies.withLock { $0 } == [denying])
        async let _ = late.answer()
        await replaced
        #expect(prompt.policies.withLock { $0 } == [denying, new])
        #expect(late.policies.withLock { $0 } == [denying, new])
        #expect(registry.admission.policy == new)
    }

    @Test("a lane that has ended holds up nothing, and one that is added later begins with the policy in force")
    func ended() async {
        let registry = registry()
        let gone = FakeLane()
        _ = registry.add(gone.mailbox, judgesConnections: false)
        var last = LaneSnapshot()
        last.activeDevices = 7
        gone.mailbox.close(last)
        await registry.replace(policy: new)
        #expect(registry.admission.policy == new)
        #expect(registry.add(FakeLane().mailbox, judgesConnections: false) == new)
        #expect(gone.mailbox.snapshot.activeDevices == 7)
    }

    @Test("activities are kept until the lane that derives connections runs")
    func activities() throws {
        let registry = registry()
        let folder = try TemporaryDirectory()
        let plan = try #require(LanePlan.lanes(of: GatewayConfiguration()).first { $0.name == .motion })
        let motion = try DurableLane(in: StateDirectory(in: folder), plan: plan)
        var device = TestDevice()
        try motion.take([device.stillHead(uptime: 100)])
        let activities = motion.lane.takeActivities()
        #expect(activities.count == 1)
        let (other, judge) = (LaneMailbox(lane: .safety, wakeUp: WakeUp()), LaneMailbox(lane: .safety, wakeUp: WakeUp()))
        registry.report(activities)
        _ = registry.add(other, judgesConnections: false)
        registry.report(activities)
        _ = registry.add(judge, judgesConnections: true)
        #expect(other.take().isEmpty)
        let requests = judge.take()
        guard case .run(.recordActivity(let received), _)? = requests.first else {
            Issue.record("nothing was kept")
            return
        }
        #expect(requests.count == 1 && received == activities + activities)
    }

    @Test("the lane that derives connections is notified when the first of the others is late, and when none is late any more")
    func late() {
        let registry = registry()
        let (motion, bulk) = (LaneMailbox(lane: .motion, wakeUp: WakeUp()), LaneMailbox(lane: .bulk, wakeUp: WakeUp()))
        for mailbox in [motion, bulk] { _ = registry.add(mailbox, judgesConnections: false) }
        registry.note(.bulk, isUpToDate: false)
        let judge = LaneMailbox(lane: .safety, wakeUp: WakeUp())
        _ = registry.add(judge, judgesConnections: true)
        /// The values of `awaitActivity` that were posted since the last call.
        func posted() -> [Bool] {
            judge.take().compactMap { if case .run(.awaitActivity(let awaits), _) = $0 { awaits } else { nil } }
        }
        #expect(posted() == [true])
        registry.note(.motion, isUpToDate: false)
        registry.note(.motion, isUpToDate: true)
        #expect(posted() == [])
        registry.note(.bulk, isUpToDate: true)
        #expect(posted() == [false])
        registry.note(.motion, isUpToDate: false)
        registry.remove(motion)
        #expect(posted() == [true, false])
        #expect(bulk.take().isEmpty)
    }

    @Test("the counts of a lane that was removed are kept")
    func removed() {
        let registry = registry()
        let (first, second) = (LaneMailbox(lane: .safety, wakeUp: WakeUp()), LaneMailbox(lane: .safety, wakeUp: WakeUp()))
        for mailbox in [first, second] { _ = registry.add(mailbox, judgesConnections: true) }
        var last = LaneSnapshot()
        last.counters.received = 3
        last.activeDevices = 2
        first.close(last)
        registry.remove(first)
        second.close()
        let snapshot = registry.snapshots[.safety]
        #expect(snapshot?.counters.received == 3 && snapshot?.activeDevices == 0)
    }
}
