import GatewayPipeline
import GatewayTestSupport
import LocalBroker
import TelemetryModel
import Testing

@testable import GatewayRuntime

@Suite("Checkpoints")
struct CheckpointOrderTests {
    private let folder: TemporaryDirectory
    private let directory: StateDirectory
    private let lane: DurableLane
    private var device = TestDevice("d1", offset: 1_000)

    init() throws {
        folder = try TemporaryDirectory()
        directory = try StateDirectory(in: folder)
        lane = try DurableLane(in: directory)
    }

    /// How many frames of the device a gateway that starts now would take for repeated.
    private func repeats(of frames: [RecordedMessage]) async throws -> Int {
        let next = try DurableLane(in: directory)
        try await next.start(at: 1_200)
        try await next.take(frames)
        return await next.workers.snapshot.counters.repeated
    }

    @Test("nothing is written before everything derived is settled")
    mutating func order() async throws {
        try await lane.take([device.depth(3, uptime: 100)])
        let directory = directory
        try await lane.checkpoint(at: 1_101) {
            let devices = try directory.devices()
            #expect(devices == [])
        }
        #expect(try directory.devices() == ["d1"])
    }

    @Test("what was not settled is written by the next checkpoint")
    mutating func failingSettle() async throws {
        let frames = [device.depth(3, uptime: 100)]
        try await lane.take(frames)
        await #expect(throws: Broken.self) { try await lane.checkpoint(at: 1_101) { throw Broken() } }
        #expect(try directory.devices() == [])
        try await lane.checkpoint(at: 1_102)
        #expect(try await repeats(of: frames) == 1)
    }

    @Test("what the disk did not take is written by the next checkpoint")
    mutating func failingWrite() async throws {
        let frames = [device.depth(3, uptime: 100)]
        try await lane.take(frames)
        let other = try LockedDatabase(path: directory.file)
        await #expect(throws: (any Error).self) { try await lane.checkpoint(at: 1_101) }
        try other.release()
        #expect(try directory.devices() == [])
        try await lane.checkpoint(at: 1_102)
        #expect(try await repeats(of: frames) == 1)
    }

    @Test("what comes while a checkpoint is written is written by the next one")
    mutating func overlap() async throws {
        let frames = [device.depth(3, uptime: 100), device.depth(4, uptime: 101)]
        try await lane.take([frames[0]])
        let lane = lane
        try await lane.checkpoint(at: 1_101) { try await lane.take([frames[1]]) }
        #expect(try await repeats(of: frames) == 1)
        try await lane.checkpoint(at: 1_102)
        #expect(try await repeats(of: frames) == 2)
    }

    @Test("a state is let go of only when it is on disk: not while a checkpoint is on its way, nor after that failed")
    mutating func evictionMeanwhile() async throws {
        let frames = [device.depth(0, uptime: 100)]
        try await lane.take(frames)
        try await lane.run(.tick(LanePace()), at: 100_000)
        let lane = lane
        await #expect(throws: Broken.self) {
            try await lane.checkpoint(at: 100_001) {
                try await lane.run(.evict(.infinity), at: 100_001)
                throw Broken()
            }
        }
        #expect(await lane.workers.snapshot.activeDevices == 1)
        try await lane.run(.evict(.infinity), at: 100_001)
        #expect(await lane.workers.snapshot.activeDevices == 1)
        try await lane.checkpoint(at: 100_002)
        try await lane.run(.evict(.infinity), at: 100_002)
        #expect(await lane.workers.snapshot.activeDevices == 0)
        #expect(try await repeats(of: frames) == 1)
    }
}
