import GatewayPipeline
import GatewayTestSupport
import LocalBroker
import TelemetryModel
import Testing

@testable import GatewayRuntime

@Suite("Devices whose state is on disk only")
struct EvictionTests {
    private static let later = 100_000.0

    private let folder: TemporaryDirectory
    private let directory: StateDirectory
    private var device = TestDevice("d1", offset: 1_000)

    init() throws {
        folder = try TemporaryDirectory()
        directory = try StateDirectory(in: folder)
    }

    /// A lane that has let go of the device after `frames`.
    private func evicted(_ frames: [RecordedMessage], policy: AccessPolicy = DurableLane.everybody) async throws -> DurableLane {
        let lane = try DurableLane(in: directory, policy: policy)
        try await lane.take(frames)
        try await lane.evict(at: Self.later)
        #expect(await lane.workers.snapshot.activeDevices == 0)
        return lane
    }

    @Test("a device that is heard again goes on where it was")
    mutating func backFromDisk() async throws {
        let frames = (0...20).map { device.depth($0 == 0 ? 3 : 0, uptime: 100 + Double($0)) }
        let lane = try await evicted(frames)
        try await lane.take([frames[1]])
        #expect(await lane.workers.snapshot.activeDevices == 1)
        #expect(await lane.workers.snapshot.counters.repeated == 1)
        let published = try await lane.take([device.depth(3, uptime: Self.later - 1_000)])
        #expect(published.first { $0.kind == "depth-state" }?.text("previous") == "notSubmerged", "\(published)")
        #expect(await lane.workers.snapshot.counters.missingFrames == 0)
    }

    @Test("one that was heard lately, or is not written down yet, stays in memory")
    mutating func stays() async throws {
        let lane = try DurableLane(in: directory)
        try await lane.take([device.depth(0, uptime: 100)])
        try await lane.run(.tick(LanePace()), at: Self.later)
        try await lane.run(.evict(.infinity), at: Self.later)
        #expect(await lane.workers.snapshot.activeDevices == 1)
        try await lane.checkpoint(at: Self.later)
        try await lane.run(.evict(1_000), at: Self.later)
        #expect(await lane.workers.snapshot.activeDevices == 1)
        try await lane.run(.evict(1_200), at: Self.later)
        #expect(await lane.workers.snapshot.activeDevices == 0)
    }

    @Test("one whose state was damaged meanwhile begins anew")
    mutating func damaged() async throws {
        let lane = try await evicted([device.depth(0, uptime: 100)])
        try directory.execute("UPDATE part SET bytes = x'00'")
        try await lane.take([device.depth(3, uptime: Self.later - 1_000)])
        #expect(await lane.workers.snapshot.activeDevices == 1)
        // As for any device that begins so, the frames before it are waited for.
        let published = try await lane.run(.tick(LanePace()), at: Self.later + 10)
        #expect(published.contains { $0.kind == "depth-state" && $0.number("depth") == 3 })
    }

    @Test("a right that is taken away is told of at once")
    mutating func policyChange() async throws {
        let lane = try await evicted(
            [device.depth(3, uptime: 100)], policy: PipelineHarness.policy("d1", DevicePolicy(entitlement: .full)))
        let published = try await lane.run(
            .replace(PipelineHarness.policy("d1", DevicePolicy(entitlement: DepthEntitlement.none))), at: Self.later + 1)
        #expect(published.first { $0.kind == "access/submersion" }?.text("reason") == "notEntitled")
    }

    @Test("one that is removed has what the broker keeps of it cleared, and leaves the disk with the next checkpoint")
    mutating func removed() async throws {
        let lane = try await evicted([device.depth(3, uptime: 100)])
        let published = try await lane.run(.replace(AccessPolicy()), at: Self.later + 1)
        #expect(published.contains { $0.kind == "depth-state" && $0.isClearing })
        #expect(try directory.devices() == ["d1"])
        try await lane.checkpoint(at: Self.later + 2)
        #expect(try directory.devices() == [])
    }

    @Test("what the broker has lost is published again of them too")
    mutating func retained() async throws {
        let lane = try await evicted([device.depth(0, uptime: 100)])
        let published = try await lane.run(.restoreRetained, at: Self.later + 1)
        #expect(published.contains { $0.kind == "access/submersion" && $0.retain })
    }
}
