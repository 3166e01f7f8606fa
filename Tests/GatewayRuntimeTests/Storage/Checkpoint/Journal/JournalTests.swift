import Foundation
import GRDB
import GatewayConfiguration
import GatewayPipeline
import GatewayTestSupport
import LocalBroker
import TelemetryModel
import Testing

@testable import GatewayRuntime

@Suite("Messages that are stored in place of states")
struct JournalTests {
    private let (folder, directory): (TemporaryDirectory, StateDirectory)
    private var device = TestDevice("d1", offset: 1_000)

    init() throws { (folder, directory) = try StateDirectory.temporary() }

    /// A lane that has committed each of `frames` by itself.
    @discardableResult
    private func committed(_ frames: [RecordedMessage]) throws -> DurableLane {
        let lane = try DurableLane(in: directory, startedAt: (frames.first?.at ?? 0) - 0.1)
        for frame in frames {
            try lane.take([frame])
            try lane.commit(at: frame.at + 0.01)
        }
        return lane
    }

    private mutating func depths(_ count: Int, from uptime: Double = 100) -> [RecordedMessage] {
        (0..<count).map { device.depth(3, uptime: uptime + Double($0)) }
    }

    private var replay: JournalReplay {
        JournalReplay(settings: PipelineHarness.settings, policy: DurableLane.everybody, share: .whole)
    }

    private var store: CheckpointStore { get throws { try directory.store(of: .safety) } }

    private func rows() throws -> [Int] {
        try DatabaseQueue.readOnly(directory.file).read {
            try Int.fetchAll($0, sql: "SELECT number FROM journal ORDER BY number")
        }
    }

    private func storedParts(of device: String = "d1") throws -> Data? {
        try DatabaseQueue.readOnly(directory.file).read {
            try Data.fetchOne($0, sql: "SELECT parts FROM state WHERE device = ?", arguments: [device])
        }
    }

    /// Commits messages until one has the state written; returns how many were stored before it.
    private mutating func journaled(by lane: DurableLane, from uptime: Double) throws -> Int {
        let parts = try storedParts()
        for number in 0..<100 {
            let frame = device.depth(3, uptime: uptime + Double(number))
            try lane.take([frame])
            try lane.commit(at: frame.at + 0.01)
            if try rows().isEmpty { return number }
            #expect(try rows().count == number + 1)
            #expect(try storedParts() == parts)
        }
        return 100
    }

    @Test("the first checkpoint writes the state, later ones messages, and after 64 messages the state again")
    mutating func limit() throws {
        let lane = try committed([device.depth(3, uptime: 100)])
        #expect(try rows() == [])
        let first = try journaled(by: lane, from: 101)
        #expect((1...64).contains(first))
        #expect(try journaled(by: lane, from: 102 + Double(first)) == 64)
    }

    @Test("after a kill, messages that were committed count as repeated, and publish nothing")
    mutating func kill() throws {
        let frames = depths(8)
        try committed(frames)
        #expect(try rows().count == 7)
        let lane = try DurableLane(in: directory, startedAt: 1_108)
        #expect(try rows() == [])
        #expect(lane.published.all.filter { $0.kind == "depth-state" }.map { $0.text("state") } == ["unknown"])
        // The broker delivers again without the pauses between them.
        #expect(try lane.take(frames.map { RecordedMessage(at: 1_108, message: $0.message) }).isEmpty)
        #expect(lane.snapshot.counters.repeated == frames.count)
    }

    @Test("a stop leaves no messages")
    mutating func stop() throws {
        let lane = try committed(depths(8))
        try lane.run(.end, at: 1_108)
        try lane.commit(at: 1_108)
        #expect(try rows() == [])
        #expect(try store.load().first?.state.boot.histories[.submersion]?.latest?.last.seconds == 107)
    }

    @Test("messages larger than half of the state are not stored")
    mutating func large() throws {
        let lane = try DurableLane(in: directory, startedAt: 1_099)
        for number in 0..<4 {
            try lane.take([device.accelerometer(start: 100 + Double(number), count: 800)])
            try lane.commit(at: 1_101 + Double(number))
        }
        #expect(try rows() == [])
    }

    @Test("a timer has the state written")
    mutating func timer() throws {
        let lane = try committed(depths(4))
        #expect(try rows().count == 3)
        #expect(try !lane.run(.tick(LanePace()), at: 1_200).isEmpty)
        try lane.commit(at: 1_200)
        #expect(try rows() == [])
        #expect(try store.load().count == 1)
    }

    @Test("a row is kept until the state of every device in it is written")
    mutating func twoDevices() throws {
        var other = TestDevice("d2", offset: 1_000)
        let lane = try committed([device.depth(3, uptime: 100), other.depth(3, uptime: 100)])
        try lane.take([device.depth(3, uptime: 101), other.depth(3, uptime: 101)])
        try lane.commit(at: 1_101)
        let shared = try rows()
        #expect(shared.count == 1)
        let parts = try storedParts(of: "d1")
        var last = 101.0
        while try storedParts(of: "d1") == parts, last < 200 {
            last += 1
            let frame = device.depth(3, uptime: last)
            try lane.take([frame])
            try lane.commit(at: frame.at)
        }
        // The state of the first device is written; the row has a message of the second one.
        #expect(try rows().first == shared.first)
        let store = try store
        try store.replayJournal(by: replay)
        let latest = try store.load().map { $0.state.boot.histories[.submersion]?.latest?.last.seconds }
        #expect(latest == [last, 101])
    }

    @Test("what other settings lead to is published, and becomes the state")
    mutating func otherSettings() throws {
        try committed((0..<8).map { device.depth(3 + Double($0) / 10, uptime: 100 + Double($0)) })
        let settings = PipelineSettings.with { $0.derive[SubmersionDerivation.self].refreshSeconds = 1 }
        let lane = try DurableLane(in: directory, settings: settings, startedAt: 1_108)
        let states = lane.published.all.filter { $0.kind == "depth-state" }.map { $0.text("state") }
        #expect(states.count > 4)
        #expect(states.last == "unknown")
    }

    @Test("what another policy denies is published as denied")
    mutating func otherPolicy() throws {
        try committed(depths(4))
        let denying = DevicePolicy.with { $0.streams = [.status] }
        let lane = try DurableLane(in: directory, policy: PipelineHarness.policy("d1", denying), startedAt: 1_108)
        let access = lane.published.all.filter { $0.kind == "access/submersion" }
        #expect(access.last?.number("allowed") == 0)
    }

    @Test("messages of a device that was removed are not used again")
    mutating func removed() throws {
        let lane = try committed(depths(4))
        try lane.run(.replace(AccessPolicy()), at: 1_104)
        try lane.commit(at: 1_104)
        #expect(try rows() == [])
        #expect(try directory.devices() == [])
        #expect(try DurableLane(in: directory, startedAt: 1_105).snapshot.activeDevices == 0)
    }

    @Test(
        "nothing of a device that was erased or removed stays in the journal, and nothing of others is lost",
        arguments: [true, false])
    mutating func erased(isErased: Bool) throws {
        var other = TestDevice("d2", offset: 1_000)
        let lane = try committed(
            (0..<4).flatMap { [device.depth(3, uptime: 100 + Double($0)), other.depth(3, uptime: 100 + Double($0))] })
        #expect(try !rows().isEmpty)
        if isErased {
            try lane.lane.erase(#require(DeviceID("d1")), at: .at(1_104))
        } else {
            try lane.run(.replace(PipelineHarness.policy("d2", .everything)), at: 1_104)
        }
        try lane.commit(at: 1_104)
        #expect(try rows() == [])
        let states = try store.load().filter { $0.device.rawValue == "d2" }
        #expect(states.map { $0.state.boot.histories[.submersion]?.latest?.last.seconds } == [103])
    }

    @Test("a row that is damaged is reported, and the others are used")
    mutating func damaged() throws {
        try committed(depths(6))
        try directory.execute("UPDATE journal SET bytes = x'00' WHERE number = (SELECT max(number) FROM journal)")
        let lane = try DurableLane(in: directory, startedAt: 1_106)
        #expect(directory.droppedParts.count == 1)
        #expect(directory.droppedParts.first.first?.device == nil)
        #expect(directory.droppedParts.first.first?.part.hasPrefix("journal/") == true)
        // The frame of the damaged row is unknown, so it is processed once more.
        try lane.take([device.depth(3, uptime: 105, seq: 5)])
        #expect(lane.snapshot.counters.processed == 1)
    }

    @Test("after a restart of the machine instants are those of its new clock")
    mutating func machine() throws {
        try committed([device.depth(3, uptime: 100), device.depth(3, uptime: 101), device.depth(3, uptime: 103, seq: 3)])
        let now = GatewayTime(unix: UnixTime(1_104), monotonic: 4)
        let store = try CheckpointStore(path: directory.file, machine: "another", at: now) { Issue.record("\($0)") }
        try store.replayJournal(by: replay)
        let waiting = try #require(try store.load().first?.state.intake.waiting.messages.first)
        #expect(abs(waiting.received.monotonic - 3) < 0.1)
        #expect(abs(waiting.received.unix.seconds - 1_103) < 0.1)
    }

    @Test("a message of the journal on which the process crashed three times is set aside")
    mutating func poison() throws {
        let frames = depths(4)
        try committed(frames)
        let poison = frames[2].message
        let store = try store
        for _ in 0..<3 { try store.countCrash(topic: poison.topic, payload: poison.payload) }
        let lane = try DurableLane(in: directory, startedAt: 1_104)
        #expect(try directory.deadLetters.names().count == 1)
        #expect(try lane.take([frames[3]]).isEmpty)
        #expect(lane.snapshot.counters.repeated == 1)
    }

    @Test("states without a journal have to be asked for")
    mutating func order() throws {
        try committed(depths(4))
        let store = try store
        #expect(throws: GatewayError.self) { try store.load() }
    }

    @Test("a device that is silent leaves memory once its state is written")
    mutating func eviction() throws {
        let lane = try committed(depths(4))
        try lane.run(.evict(.infinity), at: 1_104)
        #expect(lane.snapshot.activeDevices == 1, "a timer is due")
        #expect(try rows().count == 3)
        try lane.take([device.status("offline", uptime: 105)])
        try lane.commit(at: 1_105)
        try lane.run(.tick(LanePace()), at: 2_000)
        try lane.commit(at: 2_000)
        try lane.take([device.status("offline", uptime: 1_001)])
        try lane.commit(at: 2_001)
        #expect(try rows().count == 1)
        try lane.run(.evict(.infinity), at: 2_002)
        #expect(lane.snapshot.activeDevices == 1, "its state is not written")
        try lane.commit(at: 2_002)
        #expect(try rows() == [])
        try lane.run(.evict(.infinity), at: 2_003)
        #expect(lane.snapshot.activeDevices == 0)
    }
}
