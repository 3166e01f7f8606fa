import GatewayPipeline
import GatewayTestSupport
import LocalBroker
import TelemetryModel
import Testing

@testable import GatewayRuntime

@Suite("Devices whose state is on disk only")
struct EvictionTests {
    private static let later = 100_000.0

    private let (folder, directory): (TemporaryDirectory, StateDirectory)
    private var device = TestDevice("d1", offset: 1_000)

    init() throws { (folder, directory) = try StateDirectory.temporary() }

    /// A lane that has evicted the device after `frames`.
    private func evicted(_ frames: [RecordedMessage], policy: AccessPolicy = DurableLane.everybody) throws -> DurableLane {
        let lane = try DurableLane(in: directory, policy: policy)
        try lane.take(frames)
        try lane.evict(at: Self.later)
        #expect(lane.snapshot.activeDevices == 0)
        return lane
    }

    @Test("a device that is active again continues from its state")
    mutating func backFromDisk() throws {
        let frames = (0...20).map { device.depth($0 == 0 ? 3 : 0, uptime: 100 + Double($0)) }
        let lane = try evicted(frames)
        try lane.take([frames[1]])
        #expect(lane.snapshot.activeDevices == 1)
        #expect(lane.snapshot.counters.repeated == 1)
        let published = try lane.take([device.depth(3, uptime: Self.later - 1_000)])
        #expect(published.first { $0.kind == "depth-state" }?.text("previous") == "notSubmerged", "\(published)")
        #expect(lane.snapshot.counters.missingFrames == 0)
    }

    @Test("one that was active recently, or is not written yet, stays in memory")
    mutating func stays() throws {
        let lane = try DurableLane(in: directory)
        try lane.take([device.depth(0, uptime: 100)])
        try lane.run(.tick(LanePace()), at: Self.later)
        try lane.run(.evict(.infinity), at: Self.later)
        #expect(lane.snapshot.activeDevices == 1)
        try lane.commit(at: Self.later)
        try lane.run(.evict(1_000), at: Self.later)
        #expect(lane.snapshot.activeDevices == 1)
        try lane.run(.evict(1_200), at: Self.later)
        #expect(lane.snapshot.activeDevices == 0)
    }

    @Test("one whose state was damaged meanwhile starts without state")
    mutating func damaged() throws {
        let lane = try evicted([device.depth(0, uptime: 100)])
        try directory.execute("UPDATE state SET parts = x'00'; UPDATE part SET bytes = x'00'")
        try lane.take([device.depth(3, uptime: Self.later - 1_000)])
        #expect(lane.snapshot.activeDevices == 1)
        // As for any device that begins so, the frames before it are waited for.
        let published = try lane.run(.tick(LanePace()), at: Self.later + 10)
        #expect(published.contains { $0.kind == "depth-state" && $0.number("depth") == 3 })
    }

    @Test("a permission that is removed is published at once")
    mutating func policyChange() throws {
        let lane = try evicted(
            [device.depth(3, uptime: 100)], policy: PipelineHarness.policy("d1", DevicePolicy(entitlement: .full)))
        let published = try lane.run(
            .replace(PipelineHarness.policy("d1", DevicePolicy(entitlement: DepthEntitlement.none))), at: Self.later + 1)
        #expect(published.first { $0.kind == "access/submersion" }?.text("reason") == "notEntitled")
    }

    @Test("one that is removed has what the broker keeps of it cleared, and leaves the disk with the next checkpoint")
    mutating func removed() throws {
        let lane = try evicted([device.depth(3, uptime: 100)])
        let published = try lane.run(.replace(AccessPolicy()), at: Self.later + 1)
        #expect(published.contains { $0.kind == "depth-state" && $0.isClearing })
        #expect(try directory.devices() == ["d1"])
        try lane.commit(at: Self.later + 2)
        #expect(try directory.devices() == [])
    }

    @Test("what the broker has lost is published again of them too")
    mutating func retained() throws {
        let lane = try evicted([device.depth(0, uptime: 100)])
        let published = try lane.run(.restoreRetained, at: Self.later + 1)
        #expect(published.contains { $0.kind == "access/submersion" && $0.retain })
    }
}
