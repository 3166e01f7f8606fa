import BrokerTestSupport
import Foundation
import GRDB
import GatewayConfiguration
import GatewayPipeline
import GatewayTestSupport
import LocalBroker
import TelemetryModel
import Testing

@testable import GatewayRuntime

@Suite("Histories in a directory whose states are replaced by those of a key-value store", .timeLimit(.minutes(2)))
struct RestoredHistoryTests {
    private let replica: StateReplicaTests
    private var unix: Double { replica.unix }

    init() throws { replica = try StateReplicaTests() }

    /// A dive, and ten minutes of recorded acceleration of two watches.
    private func frames() -> [RecordedMessage] {
        let samples = SimulatedNight.walk(from: unix - 3_600, seconds: 600, cadence: 1.9, hertz: 10)
        let watches = ["w1", "w2"].flatMap { name in
            var device = HistoryDevice(name, start: unix - 4_000)
            return device.frames(samples, size: 600, sent: unix - 10)
        }
        return replica.frames() + watches
    }

    private func run(_ name: String, machine: String = "one", _ frames: [RecordedMessage]) throws {
        let run = try replica.start(name, machine: machine)
        _ = try run.lane.take(frames)
        try run.lane.commit(at: unix + 1)
    }

    /// How many rows a table of the safety lane of the directory `name` has of a device.
    private func rows(_ table: String, of device: String, in name: String = "a") throws -> Int {
        try DatabaseQueue.readOnly(replica.folder.path("\(name)/safety.sqlite")).read {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table) WHERE device = ?", arguments: [device]) ?? 0
        }
    }

    private func id(_ name: String) throws -> DeviceID { try #require(DeviceID(name)) }

    @Test("samples and stored events stay when the states of another machine replace those that are older")
    func kept() throws {
        try run("a", Array(frames()))
        let (minutes, events) = (try rows("history", of: "w1"), try rows("events", of: "d1"))
        #expect(minutes == 10 && events > 0)
        try Data("filters".utf8).write(to: URL(fileURLWithPath: replica.folder.path("a/motion.filters")))
        var other = TestDevice("d3", offset: unix - 100)
        try run("b", machine: "two", [other.depth(8, uptime: 101, seq: 0)])
        let third = try replica.start("a")
        #expect(third.log.lines.contains { $0.contains("restored") })
        #expect(try rows("state", of: "d3") == 1)
        #expect(try rows("history", of: "w1") == minutes && rows("history", of: "w2") == minutes)
        #expect(try rows("events", of: "d1") == events)
        #expect(TextFile.stamp(replica.folder.path("a/motion.filters")) != nil)
        // A sample that is stored changes nothing.
        let published = try third.lane.take(Array(frames().suffix(4)))
        #expect(published.isEmpty && third.lane.snapshot.activeDevices == 5)
    }

    @Test("what another machine has erased does not come back, though the device begins anew there")
    func erasedElsewhere() throws {
        try run("a", frames())
        do {
            let second = try replica.start("b", machine: "two")
            for name in ["w1", "d1"] { try second.lane.lane.erase(try id(name), at: .at(unix + 2)) }
            try second.lane.commit(at: unix + 3)
            var other = TestDevice("w1", offset: unix - 100)
            _ = try second.lane.take([other.depth(8, uptime: 101, seq: 0)])
            try second.lane.commit(at: unix + 4)
        }
        _ = try replica.start("a")
        #expect(try rows("state", of: "w1") == 1)
        #expect(try rows("history", of: "w1") == 0 && rows("events", of: "d1") == 0)
        #expect(try rows("history", of: "w2") > 0)
    }

    @Test("what was erased after a directory was copied does not come back with the copy")
    func snapshot() throws {
        do { try run("a", frames()) }
        try FileManager.default.copyItem(atPath: replica.folder.path("a"), toPath: replica.folder.path("copy"))
        do {
            let second = try replica.start("a", epoch: 1)
            try second.lane.lane.erase(try id("w1"), at: .at(unix + 2))
            try second.lane.commit(at: unix + 3)
            let frame = try #require(frames().first { $0.message.topic.contains("/w1/") })
            _ = try second.lane.take([frame])
            try second.lane.commit(at: unix + 4)
        }
        try FileManager.default.removeItem(atPath: replica.folder.path("a"))
        try FileManager.default.moveItem(atPath: replica.folder.path("copy"), toPath: replica.folder.path("a"))
        let third = try replica.start("a")
        #expect(third.log.lines.contains { $0.contains("restored") })
        #expect(try rows("history", of: "w1") == 0)
        #expect(try rows("history", of: "w2") > 0)
    }

    @Test("messages of kinds that another machine has erased, and devices that had left the registry, do not come back")
    func kindsAndRemoved() throws {
        do { try run("a", frames()) }
        let path = replica.folder.path("a/safety.sqlite")
        try DatabaseQueue(path: path).write { database in
            try database.execute(sql: "INSERT INTO removed VALUES ('w2', 1e9)")
            try database.execute(sql: "INSERT INTO events VALUES ('w1', 1, 'x', 'sleep', ''), ('w1', 1, 'y', 'day', '')")
        }
        do {
            let second = try replica.start("b", machine: "two")
            var change = StateChange(device: try id("w1"))
            change.erasedKinds = ["sleep"]
            try second.replica.mark([change], of: .safety, in: second.directory.store(of: .safety)) {}
        }
        _ = try replica.start("a")
        #expect(try rows("history", of: "w1") > 0 && rows("history", of: "w2") == 0 && rows("removed", of: "w2") == 0)
        let kinds = try DatabaseQueue.readOnly(path).read {
            try String.fetchAll($0, sql: "SELECT kind FROM events WHERE device = 'w1' AND at = 1")
        }
        #expect(kinds == ["day"])
    }

    @Test("where it is not known what was erased, no history stays", arguments: [true, false])
    func unknownErasures(isRemoved: Bool) throws {
        do { try run("a", frames()) }
        let server = replica.server
        if isRemoved {
            server.remove("$KV.b.erased")
            try run("b", machine: "two", [])
        } else {
            let second = try replica.start("b", machine: "two", isWhole: false)
            try second.replica.noteIncomplete()
            _ = try second.lane.lane.restore(at: .at(unix))
            for lane in [GatewayConfiguration.Lanes.Name.motion, .bulk] {
                try second.replica.synchronize(lane, with: second.directory.store(of: lane))
            }
        }
        _ = try replica.start("a")
        #expect(try rows("state", of: "w1") == 1 && rows("history", of: "w1") == 0)
    }

    @Test("a damaged file of one lane takes no history of another with it")
    func otherLane() throws {
        do { try run("a", frames()) }
        try replica.folder.write("no database", to: "a/motion.sqlite")
        for suffix in ["-wal", "-shm"] { unlink(replica.folder.path("a/motion.sqlite\(suffix)")) }
        let second = try replica.start("a")
        #expect(second.log.lines.contains { $0.contains("restored") })
        #expect(try rows("history", of: "w1") == 10)
    }

    @Test("a restore that was interrupted leaves it known what was erased before")
    func interrupted() throws {
        do { try run("a", frames()) }
        try run("b", machine: "two", [])
        do {
            let directory = try StateDirectory(path: replica.folder.path("a"), logger: DurableLane.logger)
            let before = try #require(directory.replicaEpoch(of: "b"))
            try directory.noteReplica("b", epoch: -before)
        }
        _ = try replica.start("a")
        #expect(try rows("history", of: "w1") == 10)
    }

    @Test("too many marks of erasures are removed, and directories of earlier epochs keep no history")
    func manyMarks() throws {
        do { try run("a", frames()) }
        for number in 0...ErasureMarks.most { replica.server.store("$KV.b.erased.safety.\(number)", [1]) }
        try run("b", machine: "two", [])
        #expect(replica.server.messages.keys.filter { $0.hasPrefix("$KV.b.erased.") }.isEmpty)
        _ = try replica.start("a")
        #expect(try rows("history", of: "w1") == 0)
    }
}
