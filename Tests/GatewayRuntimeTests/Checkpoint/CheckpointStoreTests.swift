import Foundation
import GRDB
import GatewayPipeline
import GatewayTestSupport
import LocalBroker
import StateCoding
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
        machine: String = "m1", onDamage: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> CheckpointStore {
        try CheckpointStore(path: file, machine: machine, onDamage: onDamage)
    }

    /// The state of a device one of whose frames came at `unix`, with a depth of `depth`.
    private func state(of id: String, depth: Double = 3, at unix: Double = 1_000) throws -> DeviceState {
        var harness = PipelineHarness()
        var device = TestDevice(id, offset: unix - 100.05)
        _ = harness.send(device.depth(depth, uptime: 100))
        let name = try #require(DeviceID(id))
        return try #require(harness.pipeline.state(of: name))
    }

    private func entry(_ id: String, _ state: DeviceState?) throws -> CheckpointStore.Entry {
        .init(device: try #require(DeviceID(id)), state: try state.map(StateCoder.encode), committed: [])
    }

    @Test("states come back as they were written, and those that are written as nothing are gone")
    func roundTrip() async throws {
        let (one, two) = (try state(of: "one"), try state(of: "two", depth: 7))
        let store = try open()
        let early = try state(of: "two")
        try await store.write([try entry("one", one), try entry("two", early), try entry("three", one)], at: .at(1_001))
        try await store.write([try entry("two", two), try entry("three", nil)], at: .at(1_002))
        let loaded = try open().load(at: .at(1_003))
        #expect(loaded.map(\.device.rawValue) == ["one", "two"])
        #expect(loaded.map(\.state) == [one, two])
        #expect(try open().load(try #require(DeviceID("three")), at: .at(1_003)) == nil)
    }

    @Test(
        "after the machine was started again, what went by is told by the wall clock, and one that went back tells of no time",
        arguments: [(unix: 1_040.0, elapsed: 30.0), (unix: 500.0, elapsed: 0.0)])
    func otherMachine(unix: Double, elapsed: Double) async throws {
        let before = try state(of: "one")
        let saved = GatewayTime.at(1_010)
        try await open().write([try entry("one", before)], at: saved)
        let now = GatewayTime(unix: UnixTime(unix), monotonic: 5)
        let state = try #require(try open(machine: "m2").load(at: now).first?.state)
        let expected = try #require(before.intake.clock.estimate(at: saved)).seconds + elapsed
        #expect(abs(try #require(state.intake.clock.estimate(at: now)).seconds - expected) < 1e-6)
    }

    @Test("on the same machine the monotonic clock counts, whatever the wall clock does")
    func sameMachine() async throws {
        let before = try state(of: "one")
        try await open().write([try entry("one", before)], at: .at(1_010))
        let loaded = try open().load(at: GatewayTime(unix: UnixTime(9_999), monotonic: 1_020))
        #expect(loaded.first?.state == before)
    }

    @Test("a damaged state is left out and told of; the others are there")
    func damagedRow() async throws {
        let problems = Mutex<[String]>([])
        let good = try state(of: "good")
        try await open().write([try entry("bad", good), try entry("good", good)], at: .at(1_001))
        try await DatabaseQueue(path: file).write {
            try $0.execute(sql: "UPDATE device SET state = substr(state, 1, length(state) - 3) WHERE id = 'bad'")
        }
        let loaded = try open { problem in problems.withLock { $0.append(problem) } }.load(at: .at(1_002))
        #expect(loaded.map(\.device.rawValue) == ["good"])
        #expect(loaded.first?.state == good)
        #expect(problems.withLock { $0 }.map { $0.contains("the state of bad") } == [true])
    }

    @Test(
        "a file of another version is refused with advice, and left as it is",
        arguments: [
            ("UPDATE device SET version = '0.9'", "states of version 0.9"),
            ("INSERT INTO grdb_migrations VALUES ('later')", "newer version of fathom"),
        ])
    func otherVersion(change: String, complaint: String) async throws {
        try await open().write([try entry("one", try state(of: "one"))], at: .at(1_001))
        try await DatabaseQueue(path: file).write { try $0.execute(sql: change) }
        #expect {
            _ = try open()
        } throws: { error in
            error is GatewayError && "\(error)".contains(complaint) && "\(error)".contains("move it aside")
        }
        #expect(try await DatabaseQueue(path: file).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM device") } == 1)
    }
}
