import GatewayPipeline
import GatewayTestSupport
import LocalBroker
import TelemetryModel
import Testing

@testable import GatewayRuntime

@Suite("Checkpoints")
struct CheckpointOrderTests {
    private let (folder, directory): (TemporaryDirectory, StateDirectory)
    private let lane: DurableLane
    private var device = TestDevice("d1", offset: 1_000)

    init() throws {
        (folder, directory) = try StateDirectory.temporary()
        lane = try DurableLane(in: directory)
    }

    /// How many frames of the device a gateway that starts now would take for repeated.
    private func repeats(of frames: [RecordedMessage]) throws -> Int {
        let next = try DurableLane(in: directory, startedAt: 1_200)
        try next.take(frames)
        return next.snapshot.counters.repeated
    }

    @Test("nothing is written before everything derived is settled")
    mutating func order() throws {
        try lane.take([device.depth(3, uptime: 100)])
        let directory = directory
        try lane.commit(at: 1_101) {
            let devices = try directory.devices()
            #expect(devices == [])
        }
        #expect(try directory.devices() == ["d1"])
    }

    @Test("what was not settled is written by the next checkpoint")
    mutating func failingSettle() throws {
        let frames = [device.depth(3, uptime: 100)]
        try lane.take(frames)
        #expect(throws: Broken.self) { try lane.commit(at: 1_101) { throw Broken() } }
        #expect(try directory.devices() == [])
        try lane.commit(at: 1_102)
        #expect(try repeats(of: frames) == 1)
    }

    @Test("changes that could not be written are written by the next checkpoint")
    mutating func failingWrite() throws {
        let frames = [device.depth(3, uptime: 100)]
        try lane.take(frames)
        let other = try LockedDatabase(path: directory.file)
        #expect(throws: (any Error).self) { try lane.commit(at: 1_101) }
        try other.release()
        #expect(try directory.devices() == [])
        try lane.commit(at: 1_102)
        #expect(try repeats(of: frames) == 1)
    }

    @Test("a wait that was postponed is on disk as it is in memory")
    mutating func postponedWait() throws {
        let frames = [device.depth(3, uptime: 100), device.depth(4, uptime: 101), device.depth(5, uptime: 102)]
        try lane.take([frames[0], frames[2]])
        try lane.commit(at: 1_103)
        try lane.run(.postponeWaits(60), at: 1_103)
        // In debug builds a commit compares the file with the states.
        try lane.commit(at: 1_104)
        let restarted = try DurableLane(in: directory, startedAt: 1_105)
        #expect(try restarted.run(.tick(LanePace()), at: 1_120).isEmpty)
        #expect(try restarted.run(.tick(LanePace()), at: 1_200).contains { $0.kind == "gap" })
    }

    @Test("what comes while a checkpoint is written is written by the next one")
    mutating func overlap() throws {
        let frames = [device.depth(3, uptime: 100), device.depth(4, uptime: 101)]
        try lane.take([frames[0]])
        let lane = lane
        try lane.commit(at: 1_101) { try lane.take([frames[1]]) }
        #expect(try repeats(of: frames) == 1)
        try lane.commit(at: 1_102)
        #expect(try repeats(of: frames) == 2)
    }

    @Test("a state is evicted only when it is on disk: not while a checkpoint is being written, nor after that failed")
    mutating func evictionMeanwhile() throws {
        let frames = [device.depth(0, uptime: 100)]
        try lane.take(frames)
        try lane.run(.tick(LanePace()), at: 100_000)
        let lane = lane
        #expect(throws: Broken.self) {
            try lane.commit(at: 100_001) {
                try lane.run(.evict(.infinity), at: 100_001)
                throw Broken()
            }
        }
        #expect(lane.snapshot.activeDevices == 1)
        try lane.run(.evict(.infinity), at: 100_001)
        #expect(lane.snapshot.activeDevices == 1)
        try lane.commit(at: 100_002)
        try lane.run(.evict(.infinity), at: 100_002)
        #expect(lane.snapshot.activeDevices == 0)
        #expect(try repeats(of: frames) == 1)
    }
}
