import Foundation
import GRDB
import GatewayConfiguration
import GatewayPipeline
import GatewayTestSupport
import LocalBroker
import Synchronization
import TelemetryModel
import Testing

@testable import GatewayRuntime

/// A state directory of the first version, whose gateway was killed (`Tests/Faults/faults.py --make-fixture` made it).
@Suite("The states of the first version")
struct UpgradeTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        let fixture = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Fixtures/state-1/state")
        try FileManager.default.copyItem(at: fixture, to: URL(filePath: directory.path("state")))
    }

    private final class Found: Sendable {
        private let list = Mutex<[DroppedPart]>([])
        var parts: [DroppedPart] { list.withLock { $0 } }
        func add(_ part: DroppedPart) { list.withLock { $0.append(part) } }
    }

    @Test("every state is read, with its journal, and nothing is left out")
    func readable() throws {
        #expect(try StoredParts.unreadable(inDirectory: directory.path("state")) == [])
        let found = Found()
        var states: [GatewayConfiguration.Lanes.Name: [DeviceID: DeviceState]] = [:]
        var journaled = 0
        for lane in GatewayConfiguration.Lanes.Name.allCases {
            let store = try CheckpointStore(
                path: directory.path("state/\(lane.rawValue).sqlite"), machine: "m", at: .at(2_000_000_000)
            ) { found.add($0) }
            #expect(!store.isNew)
            journaled += try store.database.read { try CheckpointStore.hasJournal($0) } ? 1 : 0
            try store.replayJournal(
                by: JournalReplay(settings: PipelineHarness.settings, policy: DurableLane.everybody, share: .whole))
            states[lane] = Dictionary(uniqueKeysWithValues: try store.load().map { ($0.device, $0.state) })
        }
        #expect(found.parts == [])
        #expect(journaled > 0)
        func state(_ name: String, _ lane: GatewayConfiguration.Lanes.Name) throws -> DeviceState {
            let device = try #require(DeviceID(name))
            return try #require(states[lane]?[device])
        }
        let diver = try state("diver0", .safety)
        #expect(diver.decisions[.submersion]?.allowed == true)
        #expect(diver.retained.kinds.contains("depth-state"))
        #expect(diver.boot.derivations[SubmersionDerivation.self] != nil)
        #expect(diver.boot.histories[.submersion] != nil)
        #expect(try state("pod0", .motion).boot.derivations[HeadPoseDerivation.self] != nil)
        let batter = try state("batter0", .bulk)
        #expect(batter.boot.derivations[SwingDerivation.self] != nil)
        #expect(batter.intake.committed(SequenceScope(.batchedIMU)) != nil)
        #expect(try state("watch-1", .bulk).decisions[.recordedAccelerometer]?.allowed == true)
    }
}
