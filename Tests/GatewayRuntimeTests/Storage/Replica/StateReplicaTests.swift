import BrokerTestSupport
import Foundation
import GatewayConfiguration
import GatewayPipeline
import GatewayTestSupport
import LocalBroker
import Mosquitto
import NatsKeyValue
import TelemetryModel
import Testing

@testable import GatewayRuntime

@Suite("The copy of the states in a key-value store", .timeLimit(.minutes(2)))
struct StateReplicaTests {
    let folder: TemporaryDirectory
    let server: ScriptedNats
    let unix = 1_763_744_100.0

    init() throws {
        folder = try TemporaryDirectory()
        server = try ScriptedNats()
    }

    @Test(
        "a time at which no state can have been written is an error",
        arguments: ["nan 1", "1 inf", "1e300 1", "-inf nan", "1", "x y"])
    func impossibleTimes(saved: String) throws {
        server.store("$KV.b.safety.d1", header: "Fathom-Format: 1\r\nFathom-Saved: \(saved)\r\n", [1])
        let settings = NatsSettings(servers: [.init(host: "127.0.0.1", port: Int(server.port))], name: "test")
        let entry = try #require(try KeyValueBucket("b", replicas: 1, settings).entries()["safety.d1"])
        #expect(throws: GatewayError.self) { try ReplicatedState.origin(of: entry) }
    }

    /// One run of a gateway on one machine.
    struct Run {
        let directory: StateDirectory
        let replica: StateReplica
        let permit: Permit
        let lane: DurableLane
        let log: CollectedLog
    }

    /// Starts a gateway with the state directory `name` at `unix`; its epoch is higher than that of the bucket's owner, unless one is given.
    func start(
        _ name: String, machine: String = "one", epoch: Int? = nil, at start: Double? = nil, monotonic: Double? = nil,
        isWhole: Bool = true
    ) throws -> Run {
        var configuration = GatewayConfiguration()
        configuration.gateway.name = "test"
        configuration.gateway.stateDirectory = folder.path(name)
        let at = start ?? unix
        let clock = ManualClock(unix: at, monotonic: monotonic)
        let log = CollectedLog()
        let directory = try StateDirectory(path: folder.path(name), logger: DurableLane.logger)
        let permit = Permit(clock: clock)
        let ownership = Ownership(
            configuration: configuration, brokers: BrokerList(host: "broker"), instance: .init(id: name, started: at),
            record: nil,
            permit: permit, clock: clock, logger: log.logger)
        var settings = NatsSettings(servers: [.init(host: "127.0.0.1", port: Int(server.port))], name: name)
        settings.timeoutSeconds = 0.5
        let bucket = FencedBucket(
            KeyValueBucket("b", replicas: 1, settings), ownership: ownership, machine: machine, clock: clock)
        let replica = StateReplica(bucket, logger: log.logger)
        ownership.raise(to: try epoch ?? replica.ownerEpoch() + 1)
        permit.win(epoch: ownership.claim.epoch)
        permit.extend(until: .infinity)
        let plan = LanePlan.everything
        let gateway = StoppedGateway(
            configuration: configuration, settings: try PipelineSettings(configuration), policy: DurableLane.everybody,
            directory: directory, clock: clock)
        try replica.begin(directory, gateway)
        let lane = try DurableLane(in: directory, plan: plan, settings: PipelineSettings(configuration), replica: replica)
        if isWhole {
            _ = try lane.lane.restore(at: clock.now)
            for other in [GatewayConfiguration.Lanes.Name.motion, .bulk] {
                try replica.synchronize(other, with: directory.store(of: other))
            }
            try lane.lane.awaitReplica()
        }
        return Run(directory: directory, replica: replica, permit: permit, lane: lane, log: log)
    }

    /// Starts a gateway, which commits what `frames` lead to.
    func start(_ name: String, committing frames: [RecordedMessage]) throws -> Run {
        let run = try start(name)
        _ = try run.lane.take(frames)
        try run.lane.commit(at: unix + 1)
        return run
    }

    /// Starts a gateway, which commits a dive, and whose state directory records that the name was claimed with it.
    func startAsOwner(_ name: String) throws -> Run {
        let run = try start(name, committing: frames())
        var record = run.directory.ownership
        try record.store(epoch: 1, instance: name)
        return run
    }

    /// A dive, and frames of another device. One frame waits for an earlier one at the end.
    func frames() -> [RecordedMessage] {
        var (diver, other) = (TestDevice("d1", offset: unix - 100), TestDevice("d2", offset: unix - 100))
        return [
            diver.depth(0.5, uptime: 101, seq: 0), other.depth(8, uptime: 101.5, seq: 0), diver.depth(3, uptime: 102, seq: 1),
            diver.depth(12, uptime: 104, seq: 3), diver.depth(7, uptime: 103, seq: 2), diver.depth(4, uptime: 105, seq: 4),
            other.depth(9, uptime: 105.5, seq: 1), diver.depth(0, uptime: 106, seq: 5), other.depth(0, uptime: 107, seq: 2),
            diver.depth(0, uptime: 126, seq: 6), other.depth(0, uptime: 127, seq: 3),
        ]
    }

    /// Checks that what a gateway publishes is all that is left of what is published without a restart.
    func expectRest(_ published: [String], after committed: Int) throws {
        let run = try StateReplicaTests().start("whole")
        _ = try run.lane.take(Array(frames()[..<committed]))
        let rest = try events(run, Array(frames()[committed...]))
        #expect(published == rest && !rest.isEmpty, "\(published) \(rest)")
    }

    /// The events that do not depend on when the gateway ran.
    func events(_ run: Run, _ frames: [RecordedMessage]) throws -> [String] {
        try run.lane.take(frames).filter { ["dive", "gap"].contains($0.kind) }
            .map { "\($0.kind) \($0.text("id") ?? "")" }
    }

    /// What is published without a restart.
    private func expected() throws -> [String] {
        let run = try StateReplicaTests().start("whole")
        return try events(run, frames())
    }

    @Test("a gateway goes on with the states of another machine, wherever that ended", arguments: [1, 3, 4, 5, 7])
    func otherMachine(count: Int) throws {
        let first = try start("a")
        var published = try events(first, Array(frames()[..<count]))
        try first.lane.commit(at: unix + 1)
        let second = try start("b", machine: "two", monotonic: 50)
        #expect(second.directory.ownership.epoch >= 1)
        published += try events(second, Array(frames()[count...]))
        let expected = try expected()
        #expect(published == expected && !expected.isEmpty)
    }

    @Test("nothing that the copy has is written again by the next start of the same directory")
    func sameDirectory() throws {
        _ = try start("a", committing: frames())
        let before = server.messages
        #expect(before["$KV.b.safety.d1"] != nil && before["$KV.b.safety.d2"] != nil)
        let second = try start("a")
        #expect(server.messages["$KV.b.safety.d1"] == before["$KV.b.safety.d1"])
        #expect(second.log.lines.allSatisfy { !$0.contains("restored") })
    }

    @Test("what a replay under other settings has led to is in the copy until the broker has accepted it")
    func owed() throws {
        do {
            let directory = try StateDirectory(path: folder.path("a"), logger: DurableLane.logger)
            let settings = JournaledDive.before(try PipelineSettings(GatewayConfiguration()))
            try JournaledDive().journal(by: DurableLane(in: directory, settings: settings))
        }
        func dives(_ run: Run) -> [String] { run.lane.published.all.filter { $0.kind == "dive" }.map(\.lasting) }
        let first = try start("a")
        #expect(dives(first).count == 1)
        // The machine is gone before the broker has accepted the dive.
        let second = try start("b")
        #expect(dives(second) == dives(first))
        try second.lane.commit(at: unix + 1)
        #expect(try dives(start("c")) == [])
    }

    @Test("a directory that was left for another is replaced by what the other has written since")
    func staleDirectory() throws {
        let all = frames()
        _ = try start("a", committing: Array(all[..<2]))
        do {
            let second = try start("b")
            _ = try second.lane.take(Array(all[2..<7]))
            try second.lane.commit(at: unix + 2)
        }
        let third = try start("a")
        let published = try events(third, Array(all[7...]))
        try expectRest(published, after: 7)
    }

    @Test("a file of states that is damaged or missing is replaced from the copy", arguments: [true, false])
    func damagedFile(isMissing: Bool) throws {
        _ = try start("a", committing: Array(frames()[..<7]))
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: folder.path("a/safety.sqlite\(suffix)")) }
        if isMissing {
            try FileManager.default.removeItem(atPath: folder.path("a/safety.sqlite"))
        } else {
            try folder.write("no database", to: "a/safety.sqlite")
        }
        let second = try start("a")
        let published = try events(second, Array(frames()[7...]))
        try expectRest(published, after: 7)
    }

    @Test("a directory with states that the copy knows nothing of is not replaced, and does not replace it")
    func unknownDirectory() throws {
        do {
            _ = try start("a", committing: frames())
            let directory = try StateDirectory(path: folder.path("b"), logger: DurableLane.logger)
            let lane = try DurableLane(in: directory)
            _ = try lane.take(frames())
            try lane.commit(at: unix)
        }
        let before = server.messages["$KV.b.safety.d1"]
        #expect { _ = try start("b") } throws: { "\($0)".contains("it is not known which are the latest") }
        #expect(server.messages["$KV.b.safety.d1"] == before)
    }

    @Test("a gateway that another has replaced writes nothing more, and has lost its name")
    func fencing() throws {
        let first = try start("a", committing: Array(frames()[..<3]))
        let second = try start("b")
        _ = try second.lane.take(Array(frames()[3...]))
        try second.lane.commit(at: unix + 2)
        let after = server.messages["$KV.b.safety.d1"]
        _ = try first.lane.take(Array(frames()[3..<4]))
        #expect { try first.lane.commit(at: unix + 3) } throws: { "\($0)".contains("higher epoch") }
        #expect(first.permit.passage == .lost)
        #expect(server.messages["$KV.b.safety.d1"] == after)
        // What the one before wrote late, of a device that the owner has not written yet, is overwritten.
        server.store("$KV.b.safety.d2", header: "Fathom-Epoch: 1\r\n", [1, 2, 3])
        var other = TestDevice("d2", offset: unix - 100)
        _ = try second.lane.take([other.depth(1, uptime: 108, seq: 3)])
        try second.lane.commit(at: unix + 4)
        #expect(server.messages["$KV.b.safety.d2"].map { $0.payload.count > 3 } == true)
    }

    @Test("a gateway that another has replaced does not bring back a device that was erased since")
    func erasedElsewhere() throws {
        let first = try start("a", committing: Array(frames()[..<3]))
        let second = try start("b")
        try second.lane.lane.erase(try #require(DeviceID("d1")), at: .at(unix + 2))
        try second.lane.commit(at: unix + 3)
        _ = try first.lane.take(Array(frames()[3..<4]))
        #expect { try first.lane.commit(at: unix + 4) } throws: { "\($0)".contains("higher epoch") }
        #expect(first.permit.passage == .lost)
        #expect(server.messages["$KV.b.safety.d1"] == nil)
    }

    @Test("the directory of the last owner is used although it was not recorded that it had the latest states")
    func unrecorded() throws {
        do {
            let first = try startAsOwner("a")
            first.directory.clearReplica()
        }
        let second = try start("a", isWhole: false)
        #expect(server.messages["$KV.b.lanes"] == nil, "another machine could take older states for whole")
        _ = try second.lane.lane.restore(at: .at(unix))
        for lane in [GatewayConfiguration.Lanes.Name.motion, .bulk] {
            try second.replica.synchronize(lane, with: second.directory.store(of: lane))
        }
        #expect(server.messages["$KV.b.lanes"] != nil)
        #expect(second.log.lines.allSatisfy { !$0.contains("restored") })
        #expect(second.lane.snapshot.activeDevices == 2)
    }

    @Test("states whose replacement was interrupted are replaced again, by the gateway that owned the copy too")
    func interruptedRestore() throws {
        do { _ = try startAsOwner("a") }
        // As the start leaves it that found a damaged file, and ended before it had replaced the states.
        try FileManager.default.removeItem(atPath: folder.path("a/safety.sqlite"))
        do {
            let directory = try StateDirectory(path: folder.path("a"), logger: DurableLane.logger)
            _ = try directory.store(of: .safety)
            try directory.noteReplica("b", epoch: 0)
        }
        let second = try start("a")
        #expect(second.log.lines.contains { $0.contains("restored") })
        #expect(second.lane.snapshot.activeDevices == 2)
        #expect(server.messages["$KV.b.safety.d1"] != nil)
    }

    @Test("a file that an interrupted start has made anew, as it was damaged, is not taken for the latest")
    func interruptedLook() throws {
        do { _ = try startAsOwner("a") }
        try FileManager.default.removeItem(atPath: folder.path("a/safety.sqlite"))
        _ = try StateDirectory(path: folder.path("a"), logger: DurableLane.logger).store(of: .safety)
        let second = try start("a")
        #expect(second.log.lines.contains { $0.contains("restored") })
        #expect(second.lane.snapshot.activeDevices == 2)
    }

    @Test("a directory that was put back from before the last commits of its owner is not taken for the latest")
    func snapshot() throws {
        do { _ = try start("a", committing: Array(frames()[..<2])) }
        try FileManager.default.copyItem(atPath: folder.path("a"), toPath: folder.path("snapshot"))
        do {
            let second = try start("a", epoch: 1)
            #expect(second.log.lines.allSatisfy { !$0.contains("restored") })
            _ = try second.lane.take(Array(frames()[2..<7]))
            try second.lane.commit(at: unix + 2)
        }
        try FileManager.default.removeItem(atPath: folder.path("a"))
        try FileManager.default.copyItem(atPath: folder.path("snapshot"), toPath: folder.path("a"))
        let third = try start("a")
        #expect(third.log.lines.contains { $0.contains("restored") })
        try expectRest(try events(third, Array(frames()[7...])), after: 7)
    }

    @Test("a copy of which this build cannot read a part is not restored, and stays as it is")
    func laterVersion() throws {
        _ = try start("a", committing: frames())
        let key = "$KV.b.safety.d1"
        let entry = try #require(server.messages[key])
        var stored = ReplicatedState.stored(entry.payload, of: try #require(DeviceID("d1")))
        stored.parts["intake"]?.version = 99
        let header = String(decoding: entry.header, as: UTF8.self).dropFirst("NATS/1.0\r\n".count).dropLast(2)
        server.store(key, header: String(header), ReplicatedState.bytes(of: stored))
        #expect { try start("b") } throws: { "\($0)".contains("intake of d1") && "\($0)".contains("version 99") }
        #expect(server.messages[key]?.payload == ReplicatedState.bytes(of: stored))
    }

    @Test("states whose owner cannot be read are not replaced", arguments: ["", "text"])
    func unknownOwner(content: String) throws {
        _ = try start("a", committing: frames())
        server.remove("$KV.b.owner")
        if !content.isEmpty { server.store("$KV.b.owner", Array(content.utf8)) }
        let before = server.messages["$KV.b.safety.d1"]
        #expect { try start("b", epoch: 5) } throws: { "\($0)".contains("its key owner cannot be read") }
        #expect(server.messages["$KV.b.safety.d1"] == before)
    }

    @Test("a directory that is older than the copy does not replace it while that is incomplete", arguments: ["a", "empty"])
    func olderThanIncomplete(name: String) throws {
        _ = try start("a", committing: frames())
        let second = try start("b", isWhole: false)
        try second.replica.noteIncomplete()
        #expect(server.messages["$KV.b.lanes"] == nil)
        #expect { _ = try start(name) } throws: { "\($0)".contains("holds only a part") }
        #expect(server.messages["$KV.b.safety.d1"] != nil)
    }

    @Test("a copy that counts as incomplete is whole again once all lanes are written")
    func wholeAgain() throws {
        _ = try start("a", committing: frames())
        #expect(server.messages["$KV.b.lanes"] != nil)
        let second = try start("a", isWhole: false)
        try second.replica.noteIncomplete()
        #expect(server.messages["$KV.b.lanes"] == nil)
        _ = try second.lane.lane.restore(at: .at(unix))
        for (lane, isWhole) in [(GatewayConfiguration.Lanes.Name.motion, false), (.bulk, true)] {
            try second.replica.synchronize(lane, with: second.directory.store(of: lane))
            #expect((server.messages["$KV.b.lanes"] != nil) == isWhole)
        }
        try second.lane.lane.awaitReplica()
    }

    @Test("what cannot be written to the copy is not committed, and is written with the next commit", arguments: [true, false])
    func failures(isAnswerLost: Bool) throws {
        let run = try start("a")
        _ = try run.lane.take(Array(frames()[..<3]))
        server.fault = isAnswerLost ? .losesNextAnswer : .isSilent
        #expect(throws: NatsError.self) { try run.lane.commit(at: unix + 1) }
        server.fault = nil
        server.closeConnections()
        _ = try run.lane.take(Array(frames()[3..<7]))
        var isCommitted = false
        for _ in 0..<100 where !isCommitted { isCommitted = (try? run.lane.commit(at: unix + 2)) != nil }
        #expect(isCommitted)
        let second = try start("b")
        let published = try events(second, Array(frames()[7...]))
        try expectRest(published, after: 7)
    }

    @Test("a device that is erased is removed from the copy")
    func erasure() throws {
        let run = try start("a", committing: frames())
        try run.lane.lane.erase(try #require(DeviceID("d1")), at: .at(unix + 2))
        try run.lane.commit(at: unix + 3)
        #expect(server.messages.keys.filter { $0.contains(".d1") }.isEmpty)
        #expect(server.messages["$KV.b.safety.d2"] != nil)
    }

    @Test("a state larger than a message is written in pieces, of which none is left once it is small")
    func pieces() throws {
        let run = try start("a")
        var device = TestDevice("d1", offset: unix - 100)
        // The heads' first frame is left out: the others wait for it.
        _ = device.stillHead(uptime: 100)
        _ = try run.lane.take([device.depth(1, uptime: 101, seq: 0)])
        let waiting = [
            device.depth(2, uptime: 102, seq: 2), device.depth(2, uptime: 103, seq: 3), device.stillHead(uptime: 103),
            device.stillHead(uptime: 104),
        ].map { frame in
            var frame = frame
            frame.message.payload += [UInt8](repeating: UInt8(ascii: " "), count: 200_000)
            return frame
        }
        _ = try run.lane.take(waiting)
        #expect(run.lane.snapshot.held == 4)
        try run.lane.commit(at: unix + 1)
        #expect(server.messages.keys.filter { $0.hasPrefix("$KV.b.safety.d1.") }.count == 1)
        let second = try start("b")
        #expect(second.lane.snapshot.held == 4)
        _ = try second.lane.take([device.depth(2, uptime: 101.5, seq: 1)])
        #expect(second.lane.snapshot.held == 2)
        try second.lane.commit(at: unix + 2)
        #expect(server.messages.keys.filter { $0.hasPrefix("$KV.b.safety.d1.") }.isEmpty)
        #expect(server.messages["$KV.b.safety.d1"].map { $0.payload.count > 400_000 } == true)
    }

    @Test("devices that were handed over are not taken by a start on another machine")
    func handover() throws {
        do {
            let first = try start("a", committing: frames())
            try first.replica.noteHandover()
        }
        #expect { _ = try start("b") } throws: { "\($0)".contains("handed over") }
    }

    @Test("the check of connections names each server and what is wrong with it")
    func check() async throws {
        var configuration = GatewayConfiguration()
        configuration.keyValue.servers = "127.0.0.1:\(server.port), 127.0.0.1:\(try LoopbackPort.free())"
        configuration.keyValue.timeoutSeconds = 0.5
        let findings = await ConnectionCheck(configuration: configuration).keyValue()
        #expect(findings.map(\.verdict) == [.ok, .problem])
        #expect(findings.first?.message.contains("fathom-gateway at 127.0.0.1:\(server.port)") == true)
        #expect(await ConnectionCheck(configuration: GatewayConfiguration()).keyValue().isEmpty)
    }

    @Test("a copy that was not completed is none: the directory is the first to be written")
    func incomplete() throws {
        _ = try start("a", committing: frames())
        let server = server
        server.remove("$KV.b.lanes")
        let second = try start("a")
        #expect(second.lane.snapshot.activeDevices == 2)
        #expect(server.messages["$KV.b.lanes"] != nil)
    }
}
