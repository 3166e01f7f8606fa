import GatewayPipeline
import GatewayTestSupport
import LocalBroker
import TelemetryModel
import Testing

@testable import GatewayRuntime

@Suite("A gateway that is started again")
struct RestoreTests {
    private let (folder, directory): (TemporaryDirectory, StateDirectory)
    private var device = TestDevice("d1", offset: 1_000)

    init() throws { (folder, directory) = try StateDirectory.temporary() }

    /// Runs a gateway that processes `frames`, writes its state and ends; returns what it published.
    @discardableResult
    private func before(_ frames: [RecordedMessage]) throws -> [DerivedJSON] {
        let lane = try DurableLane(in: directory)
        let published = try lane.take(frames)
        try lane.commit(at: (frames.last?.at ?? 0) + 0.1)
        return published
    }

    private func depths(_ messages: [DerivedJSON]) -> [DerivedJSON] { messages.filter { $0.kind == "depth-state" } }

    @Test("frames that were processed before change nothing and publish nothing")
    mutating func repeated() throws {
        var frames = [
            device.status(uptime: 99), device.depth(0.1, uptime: 100), device.depth(3, uptime: 102),
            device.stillHead(uptime: 103), device.depth(7, uptime: 104),
        ]
        // The broker delivers again what it had kept for nobody: not as retained.
        frames[0].message.retain = false
        #expect(try before(frames).count > 3)
        let lane = try DurableLane(in: directory, startedAt: 1_105)
        #expect(try lane.take(frames).isEmpty)
        #expect(lane.snapshot.counters.repeated == frames.count)
        let states = try lane.take([device.depth(3, uptime: 106)])
        #expect(!depths(states).isEmpty)
    }

    @Test("a depth under water is unknown at first, and the first data confirm it", arguments: [false, true])
    mutating func underWater(changesOwner: Bool) throws {
        let state = try #require(depths(try before([device.depth(3, uptime: 100)])).last?.text("state"))
        let lane = try DurableLane(in: directory)
        try lane.start(at: 1_102, changesOwner: changesOwner)
        let announced = try #require(depths(lane.published.all).first)
        #expect(depths(lane.published.all).count == 1)
        #expect(announced.text("state") == "unknown")
        #expect(announced.text("quality") == "stale")
        #expect(announced.text("cause") == (changesOwner ? "handover" : "restart"))
        let confirmed = depths(try lane.take([device.depth(3, uptime: 102)]))
        #expect(confirmed.map { $0.text("state") } == [state])
        #expect(confirmed.map { $0.text("cause") } == ["restart"])
        #expect(confirmed.map { $0.text("quality") } == ["valid"])
        #expect(depths(try lane.take([device.depth(3, uptime: 103)])).isEmpty)
    }

    @Test("a depth whose stored state cannot be read is unknown at first, and the part is reported")
    mutating func damagedDepth() throws {
        let state = try #require(depths(try before([device.depth(3, uptime: 100)])).last?.text("state"))
        try directory.changeParts { if $0.name == "derive/depth" { $0.bytes = [0] } }
        let lane = try DurableLane(in: directory, startedAt: 1_102)
        let announced = depths(lane.published.all)
        #expect(announced.map { $0.text("state") } == ["unknown"])
        #expect(announced.map { $0.text("quality") } == ["stale"])
        #expect(announced.map { $0.text("cause") } == ["restart"])
        #expect(directory.droppedParts.count == 1)
        #expect(directory.droppedParts.first.map(\.part) == ["derive/depth"])
        #expect(depths(try lane.take([device.depth(3, uptime: 102)])).last?.text("state") == state)
    }

    @Test("nothing is published for a device that was out of the water")
    mutating func outOfWater() throws {
        let published = try before((0...20).map { device.depth($0 == 0 ? 3 : 0, uptime: 100 + Double($0)) })
        #expect(depths(published).last?.text("state") == "notSubmerged")
        let lane = try DurableLane(in: directory, startedAt: 1_122)
        #expect(depths(lane.published.all).isEmpty)
        #expect(depths(try lane.take([device.depth(0, uptime: 121)])).isEmpty)
        #expect(lane.snapshot.activeDevices == 1)
    }

    @Test("a depth whose whole stored state is damaged is unknown at first")
    mutating func damagedState() throws {
        try before([device.depth(3, uptime: 100)])
        try directory.execute("UPDATE state SET parts = x'00'")
        let lane = try DurableLane(in: directory, policy: Self.shelf(["d1"]), startedAt: 1_102)
        #expect(depths(lane.published.all).map { $0.text("state") } == ["unknown"])
    }

    @Test("of five devices on a shelf and a diver, a start publishes unknown for the diver alone")
    mutating func shelf() throws {
        let policy = Self.shelf(["d1", "d2", "d3", "d4", "d5", "d6"])
        let first = try DurableLane(in: directory, policy: policy, startedAt: 1_000)
        #expect(first.published.all.isEmpty)
        // d2 came out of the water, d3 sent its status alone, d4 to d6 sent nothing.
        var (d2, d3) = (TestDevice("d2", offset: 1_000), TestDevice("d3", offset: 1_000))
        try first.take((0...20).map { d2.depth($0 == 0 ? 3 : 0, uptime: 80 + Double($0)) })
        try first.take([d3.status(uptime: 100), device.depth(3, uptime: 100)])
        try first.commit(at: 1_100)

        let second = try DurableLane(in: directory, policy: policy, startedAt: 1_102)
        #expect(second.published.all.map(\.topic) == ["wearables/d1/out/depth-state", "wearables/d1/out/alarm/contact-lost"])
        #expect(depths(second.published.all).map { $0.text("state") } == ["unknown"])
        #expect(try second.run(.resume, at: 1_102).isEmpty)
        #expect(depths(try second.run(.end, at: 1_103)).count == 1)
        try second.commit(at: 1_104)

        // A gateway whose states are lost knows of none, where one before it had the broker's session.
        let empty = try TemporaryDirectory()
        let other = try DurableLane(in: StateDirectory(in: empty), policy: policy, startedAt: 1_105)
        #expect(other.published.all.isEmpty)
        #expect(depths(try other.run(.resume, at: 1_105)).count == 6)
    }

    private static func shelf(_ devices: [String]) -> AccessPolicy {
        AccessPolicy(devices: Dictionary(uniqueKeysWithValues: devices.compactMap { DeviceID($0) }.map { ($0, .everything) }))
    }

    @Test("a frame that waited for the one before it goes on waiting, no longer than it would have")
    mutating func heldFrames() throws {
        let frames = (0...2).map { device.depth(3, uptime: 100 + Double($0) / 5) }
        try before([frames[0], frames[2]])

        let patient = try DurableLane(in: directory, startedAt: 1_100.8)
        #expect(try patient.run(.tick(LanePace()), at: 1_100.9).contains { $0.kind == "gap" } == false)
        try patient.take([frames[1]])
        #expect(patient.snapshot.counters.missingFrames == 0)
        #expect(patient.snapshot.counters.processed == 2)

        let late = try DurableLane(in: directory, startedAt: 1_100.8)
        #expect(late.snapshot.counters.processed == 0)
        let gaps = try late.run(.tick(LanePace()), at: 1_101.6).filter { $0.kind == "gap" }
        #expect(gaps.count == 1)
        #expect(late.snapshot.counters.processed == 1)
    }

    @Test("the state of another partition's device stays on disk as it is, and nothing is published of it")
    mutating func otherPartition() throws {
        let frames = (0..<4).map { device.depth(3, uptime: 100 + Double($0)) }
        let first = try DurableLane(in: directory)
        for frame in frames {
            try first.take([frame])
            try first.commit(at: frame.at)
        }
        var policy = DurableLane.everybody
        // d1 is in partition 2 of 4.
        policy.partitions = PartitionSet("0-1/4")
        let other = try DurableLane(in: directory, policy: policy, startedAt: 1_104)
        #expect(other.published.all.isEmpty)
        #expect(try other.run(.tick(LanePace()), at: 1_200).isEmpty)
        #expect(try other.take([device.depth(3, uptime: 110)]).map { $0.text("reason") } == ["otherPartition"])
        #expect(other.snapshot.activeDevices == 0)
        try other.run(.end, at: 1_201)
        try other.commit(at: 1_201)

        policy.partitions = PartitionSet("2/4")
        let owner = try DurableLane(in: directory, policy: policy, startedAt: 1_202)
        #expect(depths(owner.published.all).map { $0.text("state") } == ["unknown"])
        #expect(try owner.take(frames).isEmpty)
        #expect(owner.snapshot.counters.repeated == frames.count)
    }

    @Test("the retained topics of a device that was removed meanwhile are cleared, and its state is dropped")
    mutating func removedMeanwhile() throws {
        var other = TestDevice("d2", offset: 1_000)
        let retained = Set(
            try before([device.depth(3, uptime: 100), other.depth(3, uptime: 100)])
                .filter { $0.retain && $0.topic.contains("/d1/") }.map(\.topic))
        #expect(retained.contains("wearables/d1/out/depth-state"))
        let lane = try DurableLane(in: directory, policy: PipelineHarness.policy("d2", .everything), startedAt: 1_102)
        let cleared = lane.published.all.filter(\.isClearing).map(\.topic)
        #expect(retained.isSubset(of: cleared))
        #expect(!cleared.contains { $0.contains("/d2/") })
        try lane.commit(at: 1_103)
        #expect(try directory.devices() == ["d2"])
    }
}
