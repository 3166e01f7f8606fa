import FleetSimulator
import Foundation
import GRDB
import GatewayConfiguration
import GatewayTestSupport
import LocalBroker
import TelemetryModel
import Testing

@testable import GatewayPipeline
@testable import GatewayRuntime

/// A gateway that has journaled a dive under settings by which it is none, and is started again with others.
struct JournaledDive {
    static let offset = 1_000.0

    private let id: String
    private let depths = [0.0, 3, 6, 3, 0, 0, 0]
    private let uptimes = [100.0, 101, 102, 103, 104, 106, 110]

    init(_ id: String = "d1") { self.id = id }

    /// The settings by which the frames are processed first: no depth is a dive.
    static func before(_ settings: PipelineSettings = PipelineHarness.settings) -> PipelineSettings {
        var settings = settings
        settings.derive[SubmersionDerivation.self].diveStartMeters = 30
        return settings
    }

    /// Has a lane commit each frame by itself; all but the first are journaled.
    func journal(by lane: DurableLane) throws {
        var device = TestDevice(id, offset: Self.offset)
        try lane.start(at: 1_099)
        for (depth, uptime) in zip(depths, uptimes) {
            let frame = device.depth(depth, uptime: uptime)
            try lane.take([frame])
            try lane.commit(at: frame.at + 0.01)
        }
    }

    /// The next dive of the device.
    func next() -> [RecordedMessage] {
        var device = TestDevice(id, offset: Self.offset)
        return zip(depths.dropFirst(), uptimes.dropFirst()).enumerated().map { index, frame in
            device.depth(frame.0, uptime: frame.1 + 20, seq: depths.count + index)
        }
    }
}

@Suite("Messages that a replay under other settings has led to")
struct DebtTests {
    private let (folder, directory): (TemporaryDirectory, StateDirectory)
    private let dive = JournaledDive()

    init() throws {
        (folder, directory) = try StateDirectory.temporary()
        try dive.journal(by: DurableLane(in: directory, settings: JournaledDive.before()))
    }

    private func started(policy: AccessPolicy = DurableLane.everybody) throws -> DurableLane {
        try DurableLane(in: directory, policy: policy, startedAt: 1_112)
    }

    private func owed() throws -> [String] {
        try DatabaseQueue.readOnly(directory.file).read { try String.fetchAll($0, sql: "SELECT kind FROM debt ORDER BY number") }
    }

    private func dives(_ lane: DurableLane) -> [String] { lane.published.all.filter { $0.kind == "dive" }.map(\.lasting) }

    /// What the same frames lead to in a gateway that has had the settings from the start.
    private func live() throws -> [String] {
        let other = try TemporaryDirectory()
        let lane = try DurableLane(in: StateDirectory(in: other))
        try dive.journal(by: lane)
        // The last frame alone is left in what is published.
        return dives(lane)
    }

    @Test("after a kill before the broker has accepted them they are published again, until a commit after it has")
    func killed() throws {
        let first = try started()
        #expect(dives(first).count == 1)
        #expect(dives(first) == (try live()), "they have the ids that they would have had")
        #expect(try owed().contains("dive"))
        let all = first.published.all.map(\.lasting)
        // The process ends, nothing was committed.
        let second = try started()
        #expect(second.published.all.map(\.lasting) == all)
        #expect(throws: Broken.self) { try second.commit(at: 1_113) { throw Broken() } }
        #expect(try owed().contains("dive"), "the broker has not accepted them")
        try second.commit(at: 1_114)
        #expect(try owed() == [])
        let third = try started()
        #expect(dives(third) == [], "they are published once they were accepted")
    }

    @Test("they come before newer messages of the same topics, and nothing is derived twice")
    func order() throws {
        _ = try started()
        let lane = try started()
        let old = dives(lane)
        let new = try lane.take(dive.next()).filter { $0.kind == "dive" }.map(\.lasting)
        #expect(old.count == 1 && new.count == 1 && old != new)
        try lane.commit(at: 1_132)
        #expect(try owed() == [])
    }

    @Test("the query for messages has them too")
    func events() throws {
        _ = try started()
        let kinds = try DatabaseQueue.readOnly(directory.file).read { try String.fetchAll($0, sql: "SELECT kind FROM events") }
        #expect(kinds.contains("dive"))
    }

    @Test(
        "of a device that is erased, or not registered any more, nothing is published and nothing stays",
        arguments: [true, false])
    func gone(isErased: Bool) throws {
        _ = try started()
        let lane = try started(policy: isErased ? DurableLane.everybody : AccessPolicy())
        if isErased { try lane.lane.erase(try #require(DeviceID("d1")), at: .at(1_113)) }
        #expect(isErased || dives(lane) == [])
        try lane.commit(at: 1_114)
        #expect(try owed() == [])
    }

    @Test("nothing is published of a kind to which consent was withdrawn")
    func consent() throws {
        let store = try directory.store(of: .safety)
        let device = try #require(DeviceID("d1"))
        let encoder = OutboundEncoder(PipelineHarness.settings)
        let messages = ["tremor", "dive"].map { OutboundMessage(topic: encoder.topic($0, of: device), payload: Array("{}".utf8)) }
        let owed = messages.compactMap { OwedMessage($0, of: device, by: encoder) }
        #expect(owed.map { $0.message(by: encoder) } == messages)
        let pipeline = Pipeline(settings: PipelineHarness.settings, policy: DurableLane.everybody)
        #expect(pipeline.messages(owed: owed) == [messages[1]])
        try store.database.write { try CheckpointStore.owe(owed, in: $0) }
        #expect(try store.debts().map(\.message) == owed)
    }

    @Test("those of another partition's device stay for the gateway that owns it")
    func otherPartition() throws {
        _ = try started()
        var policy = DurableLane.everybody
        // d1 is in partition 2 of 4.
        policy.partitions = PartitionSet("0/4")
        let other = try started(policy: policy)
        try other.commit(at: 1_113)
        #expect(dives(other) == [])
        #expect(try owed().contains("dive"))
        policy.partitions = PartitionSet("2/4")
        #expect(dives(try started(policy: policy)).count == 1)
    }
}
