import Foundation
import GatewayTestSupport
import LocalBroker
import Testing

@testable import GatewayRuntime

@Suite("What a state directory records of claims")
struct OwnershipRecordTests {
    @Test("a start finds the epoch and the instances of earlier runs")
    func kept() throws {
        let folder = try TemporaryDirectory()
        for run in 1...10 {
            let directory = try StateDirectory(path: folder.path("state"), logger: DurableLane.logger)
            var record = directory.ownership
            #expect(record.epoch == run - 1)
            #expect(record.instances == (1..<run).suffix(8).map { "run\($0)" })
            try record.store(epoch: run, instance: "run\(run)")
        }
    }

    @Test("a copy of a directory has the epoch, and no instance")
    func copied() throws {
        let folder = try TemporaryDirectory()
        do {
            let directory = try StateDirectory(path: folder.path("state"), logger: DurableLane.logger)
            var record = directory.ownership
            try record.store(epoch: 7, instance: "run")
        }
        try FileManager.default.copyItem(atPath: folder.path("state"), toPath: folder.path("copy"))
        let copy = try StateDirectory(path: folder.path("copy"), logger: DurableLane.logger).ownership
        #expect(copy.epoch == 7)
        #expect(copy.instances.isEmpty)
        let original = try StateDirectory(path: folder.path("state"), logger: DurableLane.logger).ownership
        #expect(original.instances == ["run"])
    }

    @Test("on another machine the same file has the epoch, and no instance")
    func otherMachine() throws {
        let folder = try TemporaryDirectory()
        let lock = open(folder.path("lock"), O_CREAT | O_RDWR, 0o600)
        defer { close(lock) }
        func record(on machine: String) -> OwnershipRecord {
            OwnershipRecord(folder: folder.path(""), lock: lock, machine: machine)
        }
        var first = record(on: "a")
        try first.store(epoch: 7, instance: "run")
        #expect(record(on: "a").instances == ["run"])
        let other = record(on: "b")
        #expect(other.epoch == 7)
        #expect(other.instances.isEmpty)
    }

    @Test("the epoch never falls, and a damaged record counts as none", arguments: ["", "x\ny\nz\n", "-1\n\nrun\n", "7"])
    func damaged(text: String) throws {
        let folder = try TemporaryDirectory()
        let directory = try StateDirectory(path: folder.path("state"), logger: DurableLane.logger)
        var record = directory.ownership
        try record.store(epoch: 9, instance: "run")
        try record.store(epoch: 3, instance: "run")
        #expect(directory.ownership.epoch == 9)
        try text.write(toFile: folder.path("state/claim"), atomically: true, encoding: .utf8)
        #expect(directory.ownership.epoch == 0)
    }
}
