import Foundation
import GRDB
import GatewayConfiguration
import GatewayPipeline
import GatewayTestSupport
import LocalBroker
import Mosquitto
import TelemetryModel
import Testing

@testable import GatewayRuntime

@Suite("States that move to another state directory")
struct StateFileTests {
    let folder: TemporaryDirectory
    private let unix = 1_763_744_100.0

    init() throws { folder = try TemporaryDirectory() }

    /// The configuration of the gateway that owns `partitions`; nil for all devices.
    func configuration(_ partitions: String?) -> GatewayConfiguration {
        var configuration = GatewayConfiguration()
        configuration.gateway.name = "test"
        configuration.gateway.partition = partitions.flatMap { PartitionSet($0) }
        let name = partitions?.replacingOccurrences(of: "/", with: "of") ?? "all"
        configuration.gateway.stateDirectory = folder.path(name)
        return configuration
    }

    func open(_ configuration: GatewayConfiguration) throws -> StateDirectory {
        try StateDirectory(path: try #require(configuration.gateway.stateDirectory), logger: DurableLane.logger)
    }

    func stopped(
        _ partitions: String?, makesFolder: Bool = true, clock: any GatewayClock = SystemGatewayClock()
    ) throws -> StoppedGateway {
        try StoppedGateway(
            configuration: configuration(partitions), registry: .allowingEverybody, producers: Producers(),
            makesFolder: makesFolder, clock: clock)
    }

    /// Exports all that a gateway has, or what `partitions` and `devices` choose; the path of the file.
    func export(
        _ source: String?, to name: String, devices: Set<DeviceID>? = nil, partitions: String? = nil
    ) throws -> String {
        _ = try stopped(source, makesFolder: false).export(
            to: folder.path(name), devices: devices, partitions: partitions.flatMap { PartitionSet($0) })
        return folder.path(name)
    }

    /// Runs a gateway with one lane for everything over those of `frames` that are of its devices; what it published comes back.
    func run(_ partitions: String?, _ frames: [RecordedMessage], begins: Bool = false) throws -> [String] {
        let configuration = configuration(partitions)
        let directory = try open(configuration)
        var policy = DurableLane.everybody
        policy.partitions = configuration.gateway.partition
        let lane = try DurableLane(in: directory, policy: policy, settings: PipelineSettings(configuration), startedAt: unix)
        let own = frames.filter { frame in
            let device = DeviceID(String(frame.message.topic.split(separator: "/")[1]))
            return device.map(policy.owns) ?? false
        }
        let published = try lane.take(own)
        try lane.commit(at: unix + 100)
        return published.filter { $0.kind != "connection/device" && $0.kind != "depth-state" }.map(\.lasting)
    }

    /// Everything that is kept of the devices, on the clock of the file.
    func states(_ partitions: String?) throws -> [DeviceID: DeviceState] {
        let directory = try open(configuration(partitions))
        return Dictionary(uniqueKeysWithValues: try directory.store(of: .safety).load().map { ($0.device, $0.state) })
    }

    private let id = DeviceID("d1")

    /// A gateway of all devices with two devices on disk, one of them with a frame that waits.
    func filled() throws {
        var (first, second) = (TestDevice("d1"), TestDevice("d2"))
        _ = try run(
            nil, [first.depth(3, uptime: 100), first.depth(4, uptime: 102, seq: 2), second.depth(3, uptime: 100)])
    }

    @Test("four directories into two and back into four: what is published is what one gateway publishes")
    func partitions() throws {
        var devices = (0..<12).map { TestDevice("d\($0)") }
        var parts = (0..<3).map { part in
            (0..<8).flatMap { index in
                devices.indices.flatMap { device -> [RecordedMessage] in
                    let uptime = 100 + Double(part) * 3 + Double(index) * 0.2
                    let pose = devices[device].stillHead(uptime: uptime)
                    return [pose, devices[device].depth(index % 4 == 0 ? 0 : 3, uptime: uptime)]
                }
            }
        }
        // Frames of the first part come before those that they wait for.
        let early = parts[1].prefix(24)
        parts[1].replaceSubrange(0..<24, with: parts[0].suffix(24))
        parts[0].replaceSubrange((parts[0].count - 24)..., with: early)
        let expected = try run(nil, parts.flatMap(\.self))
        #expect(expected.count > 100)
        let (four, two) = (["0/4", "1/4", "2/4", "3/4"], ["0-1/4", "2-3/4"])
        var published: [String] = []
        for owner in four { published += try run(owner, parts[0]) }
        for (index, owner) in four.enumerated() {
            _ = try stopped(two[index / 2]).import(export(owner, to: "first\(index)"))
        }
        // Frames that the owner before has processed come once more.
        for owner in two { published += try run(owner, parts[0].suffix(24) + parts[1]) }
        for (index, owner) in four.enumerated() {
            let file = try export(two[index / 2], to: "second\(index)", partitions: owner)
            try FileManager.default.removeItem(atPath: folder.path(owner.replacingOccurrences(of: "/", with: "of")))
            _ = try stopped(owner).import(file)
        }
        for owner in four { published += try run(owner, parts[1].suffix(24) + parts[2]) }
        #expect(published.sorted() == expected.sorted())
    }

    @Test(
        "what a replay under other settings has led to stays to be published: in the directory, and in the one that takes the file"
    )
    func owed() throws {
        func lane(_ partitions: String?, _ change: (PipelineSettings) -> PipelineSettings = { $0 }) throws -> DurableLane {
            let configuration = configuration(partitions)
            return try DurableLane(
                in: open(configuration), plan: .everything, settings: change(PipelineSettings(configuration)))
        }
        try JournaledDive().journal(by: lane(nil) { JournaledDive.before($0) })
        let file = try export(nil, to: "file")
        #expect(try StateFile(reading: file).counts().owed > 0)
        let counts = try stopped("0/1").import(file)
        #expect(counts.owed > 0 && "\(counts)".hasSuffix(" messages to be published"))
        let dives = try [nil, "0/1"].map { partitions in
            let lane = try lane(partitions)
            try lane.start(at: unix)
            let dives = lane.published.all.filter { $0.kind == "dive" }.map(\.lasting)
            try lane.commit(at: unix + 1)
            #expect(try open(configuration(partitions)).store(of: .safety).debts().isEmpty)
            return dives
        }
        #expect(dives[0].count == 1 && dives[0] == dives[1])
    }

    func letter(_ topic: String, _ text: String) -> OutboundLetter {
        var message = MQTTMessage(topic: topic, payload: Array(text.utf8), contentType: "application/json")
        message.isText = true
        message.userProperties = [.init(name: "id", value: "7a"), .init(name: "at", value: "3.5")]
        return OutboundLetter(at: 5.25, refusal: .notAuthorized, detail: "denied", isOfMessage: false, message: message)
    }

    /// Stores what the broker refuses of two devices and of the gateway.
    func refuse(_ partitions: String?) throws {
        try open(configuration(partitions)).outboundLetters().add(
            ["wearables/d1/out/dive", "wearables/d2/out/dive", "fathom/test/rejected"].map { letter($0, "1") }
                + [letter("wearables/d1/out/dive", "2")],
            states: ["wearables/d1/out/depth-state": true, "wearables/d1/out/access/submersion": false])
    }

    /// What is kept of a topic's letters.
    func kept(_ partitions: String?, _ topic: String) throws -> [MQTTMessage] {
        try open(configuration(partitions)).outboundLetters().first(9, of: topic, isOfMessage: false).compactMap(
            \.letter?.message)
    }

    @Test("what the broker refuses of a device goes along: letters, and states that clear; what is of no device stays")
    func refusedMessages() throws {
        try filled()
        try refuse(nil)
        let file = try export(nil, to: "file", devices: [#require(id)])
        let counts = try stopped("0/1").import(file)
        #expect(counts.devices == 1 && counts.refused == 3)
        #expect("\(counts)".hasSuffix(", 3 messages that the broker refuses"))
        #expect(
            try kept("0/1", "wearables/d1/out/dive") == ["1", "2"].map { letter("wearables/d1/out/dive", $0).message })
        let letters = try open(configuration("0/1")).outboundLetters()
        #expect(try letters.topics() == ["wearables/d1/out/dive", "wearables/d1/out/depth-state"])
        #expect(try letters.states() == ["wearables/d1/out/depth-state": true])
        // The directory that they come from stays as it is.
        #expect(try open(configuration(nil)).outboundLetters().count() == 4)
        // Again, as after an interruption.
        _ = try stopped("0/1").import(file, replace: true)
        #expect(try letters.count() == 2)
        try change(file, "DELETE FROM letters")
        #expect(try stopped("0/1").import(file, replace: true).refused == 0)
        #expect(try letters.topics().isEmpty, "what is stored of the device is replaced by nothing")
    }

    @Test("a device of which the directory has refused messages alone has state; --replace replaces them")
    func refusedPresent() throws {
        try filled()
        try refuse("0/1")
        let file = try export(nil, to: "file", devices: [#require(id)])
        #expect { try stopped("0/1").import(file) } throws: { "\($0)".contains("d1 has state") }
        #expect(try kept("0/1", "wearables/d1/out/dive").count == 2)
        _ = try stopped("0/1").import(file, replace: true)
        #expect(try kept("0/1", "wearables/d1/out/dive").isEmpty)
        #expect(try kept("0/1", "wearables/d2/out/dive").count == 1)
    }

    @Test(
        "a refused message that is damaged, or of another device, is not imported",
        arguments: ["message = x'00'", "message = 7", "device = 'd2'"])
    func refusedDamaged(_ damage: String) throws {
        try filled()
        try refuse(nil)
        let file = try export(nil, to: "file", devices: [#require(id)])
        try change(file, "UPDATE letters SET \(damage) WHERE number = 1")
        #expect(throws: (any Error).self) { try stopped("0/1").import(file) }
        #expect(try open(configuration("0/1")).isEmpty)
    }

    @Test("a directory with damaged refused messages is not exported, and stays as it is")
    func refusedNoDatabase() throws {
        try filled()
        let path = folder.path("all/outbound.sqlite")
        try Data("no database".utf8).write(to: URL(filePath: path))
        #expect { try export(nil, to: "file") } throws: { "\($0)".contains("outbound.sqlite is damaged") }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "no database")
    }

    @Test("the file has everything that is stored of a device, waiting frames and history with it")
    func whole() throws {
        var history = HistoryDevice("d1", start: unix - 1_000)
        var frames = history.frames(SimulatedNight.walk(from: unix - 70, seconds: 60, cadence: 2, hertz: 10), sent: unix)
        var device = TestDevice("d1")
        frames += [device.depth(3, uptime: 100), device.depth(4, uptime: 102, seq: 2)]
        _ = try run(nil, frames)
        let file = try export(nil, to: "file")
        let before = try states(nil)
        let counts = try stopped("0/1").import(file)
        #expect(counts == (try StateFile(reading: file).counts()))
        #expect(counts.devices == 1 && counts.waiting == 1 && counts.minutes > 0)
        #expect(try states("0/1") == before)
        let rows = try [nil, "0/1"].map { partitions in
            try open(configuration(partitions)).store(of: .safety).database.read { database in
                try ["state", "part", "waiting", "history", "events"].map {
                    try Row.fetchAll(database, sql: "SELECT count(*) FROM \($0)").description
                }
            }
        }
        #expect(rows[0] == rows[1])
    }

    @Test("only the devices that are named are exported, and one without state is an error")
    func chosen() throws {
        try filled()
        let first = try #require(id)
        let counts = try stopped("0/1").import(export(nil, to: "file", devices: [first]))
        #expect(counts.devices == 1)
        #expect(try Set(states("0/1").keys) == [first])
        let other = try #require(DeviceID("d9"))
        #expect(throws: GatewayError.self) { try export(nil, to: "none", devices: [first, other]) }
        #expect(!FileManager.default.fileExists(atPath: folder.path("none")))
        #expect(!FileManager.default.fileExists(atPath: folder.path("none.new")))
    }

    @Test("a device that has state is refused, and nothing is changed; --replace replaces all of it")
    func present() throws {
        try filled()
        let file = try export(nil, to: "file")
        var other = TestDevice("d1", boot: "b2")
        _ = try run("0/1", [other.depth(9, uptime: 50), other.depth(8, uptime: 52, seq: 2)])
        let before = try states("0/1")
        #expect(throws: GatewayError.self) { try stopped("0/1").import(file) }
        #expect(try states("0/1") == before)
        _ = try stopped("0/1").import(file, replace: true)
        #expect(try states("0/1") == states(nil))
    }

    @Test("a device of another partition, another format, and a state that is not read are refused")
    func refused() throws {
        try filled()
        let file = try export(nil, to: "file")
        let number = try #require(PartitionSet("0/4")).number(of: try #require(id))
        #expect(throws: GatewayError.self) { try stopped("\((number + 1) % 4)/4").import(file) }
        // A later format may have other tables.
        try change(file, "UPDATE export SET format = 2; ALTER TABLE part RENAME TO parts")
        #expect { try stopped("0/1").import(file) } throws: { "\($0)".contains("has format 2") }
        try change(
            file,
            "UPDATE export SET format = 1; ALTER TABLE parts RENAME TO part; "
                + "INSERT INTO events (lane, device, at, id, kind, payload) VALUES ('safety', 'd1', 'text', 'i', 'dive', x'00')")
        #expect { try stopped("0/1").import(file) } throws: { "\($0)".contains("events of d1 has an impossible at") }
        try change(file, "DELETE FROM events; UPDATE part SET version = 99 WHERE name = 'intake'")
        #expect { try stopped("0/1").import(file) } throws: { "\($0)".contains("version 99") }
        #expect(try open(configuration("0/1")).isEmpty, "a start without states has to be refused")
        try change(file, "UPDATE part SET version = 'text' WHERE name = 'intake'")
        #expect(throws: (any Error).self) { try stopped("0/1").import(file) }
        try change(file, "UPDATE lane SET streams = 'status'")
        #expect { try stopped("0/1").import(file) } throws: { "\($0)".contains("other streams than in this build") }
        try change(file, "UPDATE export SET epoch = \(Int.max)")
        #expect { try stopped("0/1").import(file) } throws: { "\($0)".contains("epoch") }
        try change(file, "DROP TABLE export")
        #expect { try stopped("0/1").import(file) } throws: { "\($0)".contains("is no file of 'fathom state export'") }
        try Data("text".utf8).write(to: URL(filePath: folder.path("text")))
        #expect(throws: GatewayError.self) { try stopped("0/1").import(folder.path("text")) }
        #expect(throws: GatewayError.self) { try stopped("0/1").import(folder.path("nothing")) }
        #expect(try states("0/1").isEmpty)
    }

    @Test("a directory with a damaged file is not exported, and stays as it is")
    func damaged() throws {
        try filled()
        let path = folder.path("all/safety.sqlite")
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        try Data("no database".utf8).write(to: URL(filePath: path))
        #expect { try export(nil, to: "file") } throws: { "\($0)".contains("safety.sqlite is damaged") }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "no database")
        #expect(!FileManager.default.fileExists(atPath: folder.path("file")))
    }

    @Test("a file that exists is not overwritten, and a directory that is held or missing is not exported")
    func output() throws {
        try filled()
        let file = try export(nil, to: "file")
        #expect { try export(nil, to: "file") } throws: { "\($0)".contains("exists") }
        #expect(throws: GatewayError.self) { try export("3/4", to: "other") }
        let directory = try open(configuration(nil))
        #expect { try export(nil, to: "other") } throws: { "\($0)".contains("in use") }
        #expect { try stopped(nil).import(file) } throws: { "\($0)".contains("in use") }
        withExtendedLifetime(directory) {}
    }

    @Test("the next claim in the new directory has a higher epoch, and is not taken for one of the old directory")
    func epoch() throws {
        try filled()
        do {
            var record = try open(configuration(nil)).ownership
            try record.store(epoch: 7, instance: "run")
        }
        let file = try export(nil, to: "file")
        _ = try stopped("0/1").import(file)
        #expect(try open(configuration("0/1")).ownership.epoch == 7)
        #expect(try open(configuration("0/1")).ownership.instances.isEmpty)
        do {
            var record = try open(configuration("0/1")).ownership
            try record.store(epoch: 12, instance: "own")
        }
        _ = try stopped("0/1").import(file, replace: true)
        #expect(try open(configuration("0/1")).ownership.epoch == 12)
        #expect(try open(configuration("0/1")).ownership.instances == ["own"])
    }

    @Test("a directory with an imported state is not empty")
    func notEmpty() throws {
        try filled()
        let file = try export(nil, to: "file")
        #expect(try open(configuration("0/1")).isEmpty)
        _ = try stopped("0/1").import(file)
        #expect(try !open(configuration("0/1")).isEmpty)
    }

    @Test("no gateway starts on an import that was interrupted, until the same import ends it")
    func interrupted() throws {
        try filled()
        let (file, other) = (try export(nil, to: "file"), try export(nil, to: "other"))
        _ = try stopped("0/1").import(file)
        do {
            let directory = try open(configuration("0/1"))
            try directory.noteImport(StateFile(reading: file).header().id)
            try directory.execute("DELETE FROM state WHERE device = 'd2'; DELETE FROM waiting")
        }
        #expect {
            try Gateway(configuration: configuration("0/1"), registry: .allowingEverybody, logger: DurableLane.logger)
        } throws: { "\($0)".contains("was interrupted") }
        #expect(throws: GatewayError.self) { try stopped("0/1").import(other, replace: true) }
        #expect(throws: GatewayError.self) { try export("0/1", to: "again") }
        _ = try stopped("0/1").import(file)
        #expect(try states("0/1") == states(nil))
        _ = try Gateway(configuration: configuration("0/1"), registry: .allowingEverybody, logger: DurableLane.logger)
    }

    @Test("instants of the monotonic clock move with the states to another machine")
    func otherMachine() throws {
        try filled()
        let file = try export(nil, to: "file")
        try change(file, "UPDATE export SET machine = 'another', monotonic = 1000, unix = 2000")
        _ = try stopped("0/1", clock: ManualClock(unix: 2_030, monotonic: 50)).import(file)
        var expected = try states(nil)
        for device in expected.keys { expected[device]?.shiftMonotonic(by: 50 - 30 - 1_000) }
        #expect(try states("0/1") == expected)
        #expect(try states("0/1") != states(nil))
    }

    @Test("an export leaves a file of the user's beside it, and nothing of its own")
    func besideFile() throws {
        try filled()
        try folder.write("mine", to: "file.new")
        _ = try export(nil, to: "file")
        #expect(throws: GatewayError.self) { try export(nil, to: "other", devices: [#require(DeviceID("nobody"))]) }
        #expect(try String(contentsOfFile: folder.path("file.new"), encoding: .utf8) == "mine")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")).sorted() == ["all", "file", "file.new"])
    }

    func change(_ file: String, _ statements: String) throws {
        try DatabaseQueue(path: file).write { try $0.execute(sql: statements) }
    }
}
