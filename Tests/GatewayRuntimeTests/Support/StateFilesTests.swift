import Foundation
import GRDB
import GatewayConfiguration
import GatewayPipeline
import GatewayTestSupport
import Glibc
import LocalBroker
import TelemetryModel
import Testing

@testable import GatewayRuntime

@Suite("Files of the state directory")
struct StateFilesTests {
    private let folder: TemporaryDirectory
    /// The state directory.
    private let path: String
    /// A file elsewhere, to which links lead.
    private let target: String

    init() throws {
        folder = try TemporaryDirectory()
        path = folder.path("state")
        target = folder.path("target")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try Data("of another".utf8).write(to: URL(filePath: target))
        chmod(target, 0o644)
        chmod(path, 0o755)
    }

    private func open() throws -> StateDirectory { try StateDirectory(path: path, logger: DurableLane.logger) }

    private func status(_ path: String) -> stat {
        var status = stat()
        lstat(path, &status)
        return status
    }

    /// The regular files below the state directory, and their rights.
    private func rights() throws -> [String: mode_t] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: path)
        let files = names.map { ($0, status("\(path)/\($0)").st_mode) }.filter { $0.1 & S_IFMT == S_IFREG }
        return Dictionary(uniqueKeysWithValues: files.map { ($0.0, $0.1 & 0o777) })
    }

    private func frame() -> RecordedMessage {
        RecordedMessage(at: 1, message: InboundMessage(topic: "wearables/d1/in/status", payload: Array("x".utf8)))
    }

    /// Makes every kind of file that a gateway and its commands write; returns what they may be opened by, to keep them open.
    private func fill(_ directory: StateDirectory) throws -> [Any] {
        let storage = try directory.storage(of: .safety, payloadBytes: 1_000)
        try storage.store.countCrash(topic: "t", payload: [])
        let discovery = try DiscoveryStore(path: "\(path)/homeassistant.sqlite")
        try discovery.save([.init(topic: "t")])
        let letters = try OutboundLetters(path: OutboundLetters.file(in: path))
        _ = try directory.deadLetters.keep(frame(), lane: "safety")
        try directory.erasures.add(#require(DeviceID("d1")))
        try directory.noteReplica("b", epoch: 1)
        try directory.noteHandover()
        try directory.noteImport("i")
        try directory.clock.store(at: SystemGatewayClock().now)
        directory.clock.observe(SystemGatewayClock().now)
        try directory.clock.store(at: SystemGatewayClock().now)
        try ClockRequest(stateDirectory: path).make()
        var record = directory.ownership
        try record.store(epoch: 1, instance: "i")
        return [storage, discovery, letters]
    }

    @Test("every file is for its owner alone, in a directory that everybody reads")
    func modes() throws {
        let before = umask(0)
        defer { umask(before) }
        let directory = try open()
        let files = try fill(directory)
        let rights = try rights()
        #expect(
            rights.keys.contains("safety.sqlite") && rights.keys.contains("safety.sqlite-wal")
                && rights.keys.contains("safety.sqlite-shm"))
        for name in [
            "homeassistant.sqlite", "outbound.sqlite", "safety.mark", "lock", "claim", "clock", "believe", "erasures/d1",
        ] {
            #expect(rights.keys.contains(name), "\(name)")
        }
        #expect(rights.filter { $0.value != 0o600 }.isEmpty)
        withExtendedLifetime(files) {}
    }

    @Test("files that were put back lose the rights of others at the start; files of others keep theirs")
    func tightened() throws {
        _ = try fill(open())
        for name in try rights().keys { chmod("\(path)/\(name)", 0o644) }
        try Data().write(to: URL(filePath: "\(path)/notes.txt"))
        chmod("\(path)/notes.txt", 0o644)
        let directory = try open()
        let others = try rights().filter { $0.value != 0o600 }.keys.filter { !$0.contains("/") }
        #expect(others == ["notes.txt"])
        withExtendedLifetime(directory) {}
    }

    private static let names = [
        "lock", "claim", "clock", "believe", "replica", "importing", "handedover", "safety.sqlite", "safety.sqlite-wal",
        "safety.sqlite-shm", "safety.mark", "safety.filters", "homeassistant.sqlite", "outbound.sqlite", "outbound.sqlite-wal",
    ]

    /// The file that a link leads to, as it was.
    private func expectTargetUntouched() throws {
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "of another")
        let status = status(target)
        #expect(status.st_mode & 0o777 == 0o644 && status.st_uid == geteuid())
    }

    @Test("a link in place of a file is not followed, and its name is in the error", arguments: names)
    func links(name: String) throws {
        for target in [target, folder.path("nothing")] {
            symlink(target, "\(path)/\(name)")
            #expect { try open() } throws: { "\($0)".contains("\(name): is a symbolic link") }
            unlink("\(path)/\(name)")
        }
        try expectTargetUntouched()
        #expect(!FileManager.default.fileExists(atPath: folder.path("nothing")))
        _ = try open()
    }

    @Test("a link that appears while the gateway runs is not followed either")
    func laterLinks() throws {
        let directory = try open()
        for name in Self.names where name != "lock" { symlink(target, "\(path)/\(name)") }
        symlink(target, "\(path)/claim.new")
        #expect(throws: GatewayError.self) { try FrameTracer(path: "\(path)/safety.mark", payloadBytes: 100) }
        #expect(throws: (any Error).self) { try directory.store(of: .safety) }
        #expect(throws: (any Error).self) { try DiscoveryStore(path: "\(path)/homeassistant.sqlite") }
        #expect(throws: (any Error).self) { try OutboundLetters(path: OutboundLetters.file(in: path)) }
        #expect(throws: (any Error).self) { try OutboundLetters(reading: path) }
        #expect(throws: (any Error).self) { try LaneFiles(folder: path).open() }
        // A file that is replaced as a whole takes the place of the link.
        var record = directory.ownership
        try record.store(epoch: 1, instance: "i")
        try directory.noteReplica("b", epoch: 1)
        try ClockRequest(stateDirectory: path).make()
        for name in ["claim", "replica", "believe"] { #expect(status("\(path)/\(name)").st_mode & S_IFMT == S_IFREG) }
        try expectTargetUntouched()
    }

    @Test(
        "a FIFO, a folder and a file with a second name are refused, and nobody waits",
        arguments: ["lock", "safety.mark", "safety.sqlite"])
    func otherKinds(name: String) throws {
        mkfifo("\(path)/\(name)", 0o600)
        #expect(throws: GatewayError.self) { try open() }
        unlink("\(path)/\(name)")
        mkdir("\(path)/\(name)", 0o700)
        #expect(throws: GatewayError.self) { try open() }
        rmdir("\(path)/\(name)")
        link(target, "\(path)/\(name)")
        #expect { try open() } throws: { "\($0)".contains("hard links") }
        unlink("\(path)/\(name)")
        try expectTargetUntouched()
    }

    @Test("no gateway starts on a mark of an import that cannot be read")
    func unreadableImport() throws {
        let directory = try open()
        #expect(directory.startProblem == nil)
        mkfifo("\(path)/importing", 0o600)
        #expect(directory.startProblem?.contains("was interrupted") == true)
    }

    @Test("a link in place of a folder is not followed: requests to erase, and frames that were set aside")
    func folders() throws {
        let elsewhere = folder.path("elsewhere")
        mkdir(elsewhere, 0o755)
        for name in ["erasures", "deadletters"] { symlink(elsewhere, "\(path)/\(name)") }
        let directory = try open()
        let device = try #require(DeviceID("d1"))
        #expect(throws: GatewayError.self) { try directory.erasures.add(device) }
        #expect(throws: GatewayError.self) { try directory.erasures.devices() }
        #expect(throws: GatewayError.self) { try directory.deadLetters.keep(frame(), lane: "safety") }
        #expect(throws: GatewayError.self) { try directory.deadLetters.names() }
        #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere).isEmpty)
        #expect(status(elsewhere).st_mode & 0o777 == 0o755)
        unlink("\(path)/erasures")
        mkdir("\(path)/erasures", 0o700)
        symlink(target, "\(path)/erasures/d1")
        #expect(throws: GatewayError.self) { try directory.erasures.add(device) }
        try expectTargetUntouched()
    }

    @Test("what root makes belongs to the owner of the directory", .enabled(if: geteuid() == 0))
    func owner() throws {
        chown(path, 65_534, 65_534)
        let files = try fill(open())
        let names = try FileManager.default.subpathsOfDirectory(atPath: path)
        #expect(names.filter { status("\(path)/\($0)").st_uid != 65_534 }.isEmpty)
        withExtendedLifetime(files) {}
        // A folder that is there already is not given away.
        try FileManager.default.removeItem(atPath: "\(path)/erasures")
        mkdir("\(path)/erasures", 0o700)
        try ErasureRequests(stateDirectory: path).add(#require(DeviceID("d2")))
        #expect(status("\(path)/erasures").st_uid == 0)
    }

    @Test(
        "a number that no row has is no number to go on from",
        arguments: ["-1", "9223372036854775807", "'text'", "9e999"])
    func numbers(number: String) throws {
        let directory = try open()
        let store = try directory.store(of: .safety)
        try store.database.write { try $0.execute(sql: "UPDATE clock SET number = \(number)") }
        #expect(try directory.store(of: .safety).lastCheckpoint() < UInt64(1) << 62)
    }

    @Test("a recording is for its owner alone, and a text file without end is not read to its end")
    func otherFiles() throws {
        let before = umask(0)
        defer { umask(before) }
        _ = try OutputFile(path: folder.path("recording"), existing: .isRefused)
        #expect(status(folder.path("recording")).st_mode & 0o777 == 0o600)
        #expect { try TextFile.read("/dev/zero") } throws: { "\($0)".contains("more than") }
    }

    @Test("a file that is replaced stays until the new one is whole, one that is not is refused, and links stay links")
    func replacedFiles() throws {
        let (file, link) = (folder.path("recording"), folder.path("link"))
        func text() -> String? { try? String(contentsOfFile: file, encoding: .utf8) }
        // Of a process with this number that was killed.
        try "left".write(toFile: folder.path(".recording.\(getpid()).new"), atomically: false, encoding: .utf8)
        try OutputFile(path: file, existing: .isReplaced).close()
        #expect(text() == "")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
        chmod(file, 0o640)
        let first = try OutputFile(path: link, existing: .isReplaced)
        try first.write(Array("first".utf8))
        try first.flush()
        #expect(text() == "")
        try first.close()
        #expect(text() == "first" && status(file).st_mode & 0o777 == 0o640)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == file)
        do {
            let second = try OutputFile(path: file, existing: .isReplaced)
            try second.write(Array("second".utf8))
        }
        #expect(text() == "first")
        #expect { try OutputFile(path: file, existing: .isRefused) } throws: { "\($0)".contains("exists already") }
        #expect(throws: GatewayError.self) { try OutputFile(path: folder.path("none/recording"), existing: .isReplaced) }
        let dangling = folder.path("dangling")
        try FileManager.default.createSymbolicLink(atPath: dangling, withDestinationPath: folder.path("gone"))
        #expect { try OutputFile(path: dangling, existing: .isReplaced) } throws: { "\($0)".contains("a file that is not there") }
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: dangling) == folder.path("gone"))
        let circle = folder.path("circle")
        try FileManager.default.createSymbolicLink(atPath: circle, withDestinationPath: circle)
        #expect { try OutputFile(path: circle, existing: .isReplaced) } throws: { "\($0)".contains("Too many levels") }
        try OutputFile(path: "/dev/null", existing: .isReplaced).close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")).filter { $0.hasSuffix(".new") }.isEmpty)
    }
}
