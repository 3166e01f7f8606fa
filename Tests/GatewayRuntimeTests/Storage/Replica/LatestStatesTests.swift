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

@Suite("Whether a directory or its copy in a key-value store is the latest", .timeLimit(.minutes(2)))
struct LatestStatesTests {
    private let replica: StateReplicaTests

    init() throws { replica = try StateReplicaTests() }

    private var path: String { replica.folder.path("a/safety.sqlite") }

    @Test("damage to one row does not overwrite the copy of it", arguments: ["part", "owner"])
    func damagedRow(column: String) throws {
        do { _ = try replica.startAsOwner("a") }
        try DatabaseQueue(path: path).write { database in
            guard column == "part" else {
                return try database.execute(sql: "UPDATE state SET device = x'ff' WHERE device = 'd1'")
            }
            try database.changeParts { device, part in
                if device == "d1", part.name == "intake" { part.bytes = [0xFF] }
            }
        }
        let second = try replica.start("a")
        #expect(second.log.lines.contains { $0.contains("restored") })
        #expect(second.directory.droppedParts.count == 0)
        #expect(second.lane.snapshot.activeDevices == 2)
        let stored = try #require(replica.server.messages["$KV.b.safety.d1"]).payload
        let intake = ReplicatedState.stored(stored, of: try #require(DeviceID("d1"))).parts["intake"]
        #expect(intake.map { $0.bytes.count > 1 } == true)
    }

    @Test("a row that was set aside, and is in no gap yet, is replaced from the copy")
    func unreported() throws {
        do { _ = try replica.startAsOwner("a") }
        try DatabaseQueue(path: path).write { database in
            let part = DroppedPart(device: DeviceID("d1"), part: "intake", reason: "damaged")
            _ = try CheckpointStore.setAside([UnreadableRow(part)], in: database)
        }
        let second = try replica.start("a")
        #expect(second.log.lines.contains { $0.contains("restored") })
    }

    @Test("what another version wrote is no damage: the directory is the latest")
    func otherVersion() throws {
        do { _ = try replica.startAsOwner("a") }
        try DatabaseQueue(path: path).write { database in
            try database.changeParts { _, part in if part.name == "budgets" { part.version = 99 } }
        }
        #expect(try replica.start("a").log.lines.allSatisfy { !$0.contains("restored") })
    }

    @Test("a gateway whose hand-over is noted in the copy alone may be started again", arguments: [true, false])
    func handover(isNoted: Bool) throws {
        do {
            let first = try replica.startAsOwner("a")
            try first.replica.noteHandover()
            if isNoted { try first.directory.noteHandover() }
        }
        guard !isNoted else {
            #expect { _ = try replica.start("a") } throws: { "\($0)".contains("handed over") }
            return
        }
        #expect { _ = try replica.start("b", epoch: 2) } throws: { "\($0)".contains("handed over") }
        let second = try replica.start("a")
        #expect(second.lane.snapshot.activeDevices == 2)
        #expect(second.log.lines.allSatisfy { !$0.contains("restored") })
    }

    @Test("a call that is waiting for a server when the gateway stops says that it stops")
    func stopped() throws {
        let run = try replica.start("a", isWhole: false)
        replica.server.fault = .isSilent
        run.replica.stop()
        #expect(throws: StateReplica.Stopped.self) { try run.replica.ownerEpoch() }
    }
}
