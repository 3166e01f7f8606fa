import Foundation
import GRDB
import GatewayPipeline
import GatewayTestSupport
import LocalBroker
import Synchronization
import TelemetryModel
import Testing

@testable import GatewayRuntime

@Suite("The checkpoint store")
struct CheckpointStoreTests {
    private let directory: TemporaryDirectory
    private let file: String

    init() throws {
        directory = try TemporaryDirectory()
        file = directory.path("lane.sqlite")
    }

    private func open(
        machine: String = "m1", at now: GatewayTime = .at(1_000), report: @escaping @Sendable (DroppedPart) -> Void = { _ in }
    ) throws -> CheckpointStore {
        try CheckpointStore(path: file, machine: machine, at: now, report: report)
    }

    /// The state of a device one of whose frames came at `unix`, with a depth of `depth`.
    private func state(of id: String, depth: Double = 3, at unix: Double = 1_000) throws -> DeviceState {
        var harness = PipelineHarness()
        var device = TestDevice(id, offset: unix - 100.05)
        _ = harness.send(device.depth(depth, uptime: 100))
        let name = try #require(DeviceID(id))
        return try #require(harness.pipeline.state(of: name))
    }

    private func change(_ id: String, _ state: DeviceState?) throws -> StateChange {
        let device = try #require(DeviceID(id))
        if let state { return try state.change(of: device) }
        var removed = StateChange(device: device)
        removed.replacesAll = true
        return removed
    }

    @Test("states come back as they were written, and those of which nothing is kept are gone")
    func roundTrip() throws {
        let (one, two) = (try state(of: "one"), try state(of: "two", depth: 7))
        let store = try open()
        let early = try state(of: "two")
        try store.write([try change("one", one), try change("two", early), try change("three", one)], at: .at(1_001))
        try store.write([try change("two", two), try change("three", nil)], at: .at(1_002))
        let loaded = try open().load()
        #expect(loaded.map(\.device.rawValue) == ["one", "two"])
        #expect(loaded.map(\.state) == [one, two])
        #expect(try open().load(try #require(DeviceID("three"))) == nil)
    }

    @Test("a checkpoint writes the parts that changed, and what waits once")
    func changedParts() throws {
        var device = TestDevice("one")
        var harness = PipelineHarness()
        let store = try open()
        _ = harness.send(device.depth(3, uptime: 100))
        try store.write(try harness.pipeline.takeChanges(), at: .at(1_001))
        harness.pipeline.noteWritten()

        _ = harness.send(device.depth(3, uptime: 100.9, seq: 3))
        let waits = try #require(try harness.pipeline.takeChanges().first)
        #expect(waits.parts.map(\.name) == ["intake"])
        #expect(waits.waiting.count == 1)
        try store.write([waits], at: .at(1_002))
        _ = harness.send(device.depth(3.1, uptime: 100.3, seq: 1))
        let next = try #require(try harness.pipeline.takeChanges().first)
        #expect(next.waiting.isEmpty && next.removedWaiting.isEmpty)
        #expect(!next.parts.map(\.name).contains("access"))
        try store.write([next], at: .at(1_003))
        _ = harness.send(device.depth(3.2, uptime: 100.6, seq: 2))
        let last = try #require(try harness.pipeline.takeChanges().first)
        #expect(last.removedWaiting == waits.waiting.map(\.number))
        try store.write([last], at: .at(1_004))
        let name = try #require(DeviceID("one"))
        #expect(try store.load(name) == harness.pipeline.state(of: name))
    }

    @Test("what could not be written is written whole the next time")
    func failedWrite() throws {
        var device = TestDevice("one")
        var harness = PipelineHarness()
        let store = try open()
        _ = harness.send(device.depth(3, uptime: 100))
        let lost = try harness.pipeline.takeChanges()
        harness.pipeline.putBack(lost)
        _ = harness.send(device.depth(3.1, uptime: 100.3))
        try store.write(try harness.pipeline.takeChanges(), at: .at(1_003))
        let name = try #require(DeviceID("one"))
        #expect(try store.load(name) == harness.pipeline.state(of: name))
    }

    @Test(
        "after the machine was started again, what went by is known by the wall clock, and one that went back counts as no time",
        arguments: [(unix: 1_040.0, elapsed: 30.0), (unix: 500.0, elapsed: 0.0)])
    func otherMachine(unix: Double, elapsed: Double) throws {
        let before = try state(of: "one")
        let saved = GatewayTime.at(1_010)
        try open().write([try change("one", before)], at: saved)
        let now = GatewayTime(unix: UnixTime(unix), monotonic: 5)
        _ = try open(machine: "m2", at: now)
        let state = try #require(try open(machine: "m2", at: now).load().first?.state)
        let expected = try #require(before.intake.clock.estimate(at: saved)).seconds + elapsed
        #expect(abs(try #require(state.intake.clock.estimate(at: now)).seconds - expected) < 1e-6)
    }

    @Test("on the same machine the monotonic clock counts, whatever the wall clock does")
    func sameMachine() throws {
        let before = try state(of: "one")
        try open().write([try change("one", before)], at: .at(1_010))
        let loaded = try open(at: GatewayTime(unix: UnixTime(9_999), monotonic: 1_020)).load()
        #expect(loaded.first?.state == before)
    }

    @Test(
        "a part that is damaged, or of another version, is left out alone and reported",
        arguments: [false, true])
    func unreadablePart(hasOtherVersion: Bool) throws {
        let problems = Mutex<[DroppedPart]>([])
        let good = try state(of: "good")
        try open().write([try change("bad", good), try change("good", good)], at: .at(1_001))
        try DatabaseQueue(path: file).write {
            try $0.changeParts { device, part in
                guard device == "bad", part.name.hasPrefix("derive/") else { return }
                if hasOtherVersion { part.version = 99 } else { part.bytes.removeLast(3) }
            }
        }
        let loaded = try open { part in problems.withLock { $0.append(part) } }.load()
        #expect(loaded.map(\.device.rawValue) == ["bad", "good"])
        #expect(loaded.last?.state == good)
        #expect(loaded.first?.state.intake == good.intake)
        #expect(loaded.first?.state.boot.derivations == DerivationSet())
        let reported = problems.withLock { $0 }
        #expect(
            !reported.isEmpty
                && reported.allSatisfy {
                    $0.part.hasPrefix("derive/") && $0.reason.contains("version 99") == hasOtherVersion
                })
    }

    @Test("of a row that is damaged what stands before the damage is read, and the rest is reported")
    func damagedRow() throws {
        let problems = Mutex<[DroppedPart]>([])
        let state = try state(of: "one")
        try open().write([try change("one", state)], at: .at(1_001))
        try DatabaseQueue(path: file).write {
            try $0.execute(sql: "UPDATE state SET parts = substr(parts, 1, length(parts) - 3)")
        }
        let loaded = try #require(try open { part in problems.withLock { $0.append(part) } }.load().first?.state)
        #expect(loaded.intake == state.intake)
        #expect(loaded != state)
        #expect(problems.withLock { $0 }.contains { $0.part == "state" && $0.reason.contains("begins no part") })
        // What was read was written anew.
        problems.withLock { $0 = [] }
        #expect(try open { part in problems.withLock { $0.append(part) } }.load().first?.state == loaded)
        #expect(problems.withLock { $0 }.isEmpty)
    }

    @Test("a change writes over the parts that it has, removes those that it names, and leaves the others")
    func rowChanges() throws {
        let device = try #require(DeviceID("one"))
        func parts(_ change: StateChange) throws -> [String: [UInt8]] {
            let store = try open()
            try store.write([change], at: .at(1_001))
            return try store.database.read { try #require(try CheckpointStore.stored($0).first).parts.mapValues(\.bytes) }
        }
        func part(_ name: String, _ bytes: UInt8...) -> StatePart { StatePart(name: name, version: 1, bytes: bytes) }
        var change = StateChange(device: device)
        change.parts = [part("a", 1), part("b", 2, 2), part("latest/x", 3), part("c", 4)]
        #expect(try parts(change) == ["a": [1], "b": [2, 2], "c": [4], "latest/x": [3]])
        change.parts = [part("b", 5, 6, 7)]
        change.removedParts = ["a", "latest/x", "missing"]
        #expect(try parts(change) == ["b": [5, 6, 7], "c": [4]])
        change.parts = [part("latest/x", 8)]
        change.removedParts = ["b", "c"]
        #expect(try parts(change) == ["latest/x": [8]])
    }

    @Test("messages that waited are processed although the order of the frames was lost", .timeLimit(.minutes(1)))
    func lostOrder() throws {
        var device = TestDevice("one")
        var harness = PipelineHarness()
        _ = harness.send(device.depth(3, uptime: 100, seq: 0))
        _ = harness.send(device.depth(0.5, uptime: 102, seq: 2))
        let one = try #require(DeviceID("one"))
        let waiting = try #require(harness.pipeline.state(of: one))
        try open().write([try change("one", waiting)], at: .at(1_001))
        try DatabaseQueue(path: file).write {
            try $0.changeParts { _, part in if part.name == "intake" { part.version = 99 } }
        }
        let stored = try #require(try open().load().first)
        #expect(stored.state.intake.waiting.messages.count == 1)
        var next = PipelineHarness()
        let restart = device.offset + 103
        _ = next.pipeline.restore(stored.state, of: stored.device, at: GatewayTime(unix: UnixTime(restart), monotonic: restart))
        let messages = next.tick(at: device.offset + 200)
        #expect(next.pipeline.waitingCount == 0)
        #expect(messages.contains { $0.text("state") == "submergedShallow" })
    }

    @Test("a file of a later layout or an unknown one is refused with advice, and left as it is", arguments: ["2", "states"])
    func otherLayout(_ name: String) throws {
        try open().write([try change("one", try state(of: "one"))], at: .at(1_001))
        try DatabaseQueue(path: file).write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES (?)", arguments: [name]) }
        #expect {
            _ = try open()
        } throws: { error in
            error is GatewayError && "\(error)".contains("another layout") && "\(error)".contains("move it aside")
        }
        #expect(try DatabaseQueue.readOnly(file).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM state") } == 1)
    }
}
