import Foundation
import GatewayPipeline
import GatewayTestSupport
import LocalBroker
import Synchronization
import TelemetryModel
import Testing

@testable import GatewayRuntime

/// The state directory of a version that stored each state whole (`Tests/Fixtures/state-890065c/make.sh` made it).
@Suite("An upgrade from states that were stored whole")
struct UpgradeTests {
    private let directory: TemporaryDirectory
    private static let fixture = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fixtures/state-890065c")

    init() throws {
        directory = try TemporaryDirectory()
        for lane in ["safety", "motion", "bulk"] {
            try FileManager.default.copyItem(
                at: Self.fixture.appending(path: "\(lane).sqlite"), to: URL(filePath: directory.path("\(lane).sqlite")))
        }
    }

    private func open(_ lane: String, _ problems: borrowing Mutex<[DroppedPart]>) throws -> CheckpointStore {
        let found = Found()
        let store = try CheckpointStore(path: directory.path("\(lane).sqlite"), machine: "m", at: .at(1_000)) { found.add($0) }
        problems.withLock { $0 += found.parts }
        return store
    }

    private final class Found: Sendable {
        private let list = Mutex<[DroppedPart]>([])
        var parts: [DroppedPart] { list.withLock { $0 } }
        func add(_ part: DroppedPart) { list.withLock { $0.append(part) } }
    }

    @Test("every state is read, and nothing is dropped")
    func readable() throws {
        let problems = Mutex<[DroppedPart]>([])
        let states = try ["safety", "motion", "bulk"].map { try open($0, problems).load() }
        #expect(problems.withLock { $0 } == [])
        #expect(states.map { $0.map(\.device.rawValue) } == [["batter", "diver", "pods", "swimmer"], ["pods"], ["batter"]])
        let diver = try #require(states[0].first { $0.device.rawValue == "diver" }?.state)
        #expect(diver.intake.boots.current?.rawValue == "d1")
        #expect(diver.boot.id?.rawValue == "d1")
        #expect(diver.decisions[.submersion]?.allowed == true)
        #expect(diver.retained.kinds.contains("depth-state"))
        #expect(diver.boot.histories[.submersion] != nil)
        let swimmer = try #require(states[0].first { $0.device.rawValue == "swimmer" }?.state)
        #expect(swimmer.boot.derivations[SubmersionDerivation.self]?.state == .notSubmerged)
        #expect(states[2].first?.state.intake.waiting.messages.map(\.reason) == [.earlierFrame])
        #expect(states[2].first?.state.intake.waiting.messages.map(\.header.sequence) == [2])
    }

    @Test("a connection that was called stale is published as silent, and retained topics that are no more are cleared")
    func renamed() throws {
        let problems = Mutex<[DroppedPart]>([])
        let store = try open("motion", problems)
        #expect(try store.isRenamed())
        var pipeline = Pipeline(settings: PipelineHarness.settings, policy: AccessPolicy(unknown: .everything))
        for restored in try store.load() { _ = pipeline.restore(restored.state, of: restored.device, at: .at(1_001)) }
        let messages = pipeline.publishRenamed(at: .at(1_001)).map(DerivedJSON.init)
        #expect(messages.first { $0.kind == "connection/headphone" }?.text("state") == "silent")
        #expect(messages.filter(\.isClearing).map(\.kind) == ["ack/headphone-motion"])
        try store.noteRenamed()
        #expect(try !open("motion", problems).isRenamed())
    }

    @Test("what an upgrade would leave out can be seen before, and nothing is changed by that")
    func check() throws {
        let problems = Mutex<[DroppedPart]>([])
        #expect(try StoredParts.unreadable(inDirectory: directory.path("")) == [])
        let store = try open("safety", problems)
        var change = StateChange(device: try #require(DeviceID("diver")))
        change.parts = [StatePart(name: "derive/depth", version: 99, bytes: [])]
        try store.write([change], at: .at(1_001))
        let lines = try StoredParts.unreadable(inDirectory: directory.path(""))
        #expect(lines == ["safety.sqlite: derive/depth of version 99 would be left out for 1 devices; it begins anew for them"])
    }
}
