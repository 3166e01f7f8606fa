import Foundation
import GatewayPipeline
import GatewayTestSupport
import LocalBroker
import TelemetryModel
import Testing

@testable import GatewayRuntime

@Suite("The state directory")
struct StateDirectoryTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// A lane with `count` devices on disk, closed.
    private func write(_ count: Int, in directory: StateDirectory) throws {
        let lane = try DurableLane(in: directory)
        try lane.take(
            (0..<count).map { index in
                var device = TestDevice("d\(index)", offset: 1_000)
                return device.depth(3, uptime: 100)
            })
        try lane.commit(at: 1_101)
    }

    @Test("a file that is no database is moved aside, and the lane begins anew")
    func noDatabase() throws {
        let directory = try StateDirectory(in: folder)
        try Data("nothing of ours".utf8).write(to: URL(filePath: directory.file))
        try write(2, in: directory)
        #expect(try directory.devices() == ["d0", "d1"])
        #expect(try String(contentsOfFile: directory.file + ".damaged", encoding: .utf8) == "nothing of ours")
    }

    @Test(
        "a database whose header or pages are damaged is moved aside, and the lane begins anew",
        arguments: [(2, 47, 0x66, 1), (2, 100, 0x66, 1), (60, 8_192, 0xFF, 40_000)] as [(Int, UInt64, UInt8, Int)])
    func damaged(devices: Int, offset: UInt64, byte: UInt8, count: Int) throws {
        let directory = try StateDirectory(in: folder)
        try write(devices, in: directory)
        try directory.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let handle = try FileHandle(forUpdating: URL(filePath: directory.file))
        #expect(try handle.seekToEnd() > 1_000 * UInt64(devices))
        try handle.seek(toOffset: offset)
        try handle.write(contentsOf: Data(repeating: byte, count: count))
        try handle.close()
        let lane = try DurableLane(in: directory, startedAt: 1_200)
        #expect(lane.snapshot.activeDevices == 0)
        #expect(FileManager.default.fileExists(atPath: directory.file + ".damaged"))
    }

    @Test("a second gateway on the same folder is refused while the first one holds it")
    func lock() throws {
        var first: StateDirectory? = try StateDirectory(in: folder)
        #expect(first != nil)
        #expect {
            _ = try StateDirectory(in: folder)
        } throws: { error in
            "\(error)".contains("in use by another fathom")
        }
        first = nil
        #expect(throws: Never.self) { try StateDirectory(in: folder) }
    }

    @Test("the error for a folder that cannot be created has its name")
    func unusable() throws {
        try folder.write("", to: "file")
        #expect {
            _ = try StateDirectory(path: folder.path("file/state"), logger: DurableLane.logger)
        } throws: { error in
            "\(error)".contains("gateway.stateDirectory: \(folder.path("file/state"))")
        }
    }
}
