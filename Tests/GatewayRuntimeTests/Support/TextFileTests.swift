import Foundation
import Glibc
import LocalBroker
import Testing

@testable import GatewayRuntime

@Suite("Small files")
struct TextFileTests {
    @Test(
        "a file of any date has a stamp, and another date is another stamp",
        arguments: [10_000_000_000, -1_000_000_000, 15_000_000_000])
    func stamps(seconds: Int) throws {
        let folder = try TemporaryDirectory()
        try folder.write("text", to: "file")
        let path = folder.path("file")
        var times = [timeval(tv_sec: seconds, tv_usec: 0), timeval(tv_sec: seconds, tv_usec: 0)]
        guard utimes(path, &times) == 0 else { throw GatewayError.system(path) }
        let first = try #require(TextFile.stamp(path))
        times[1].tv_sec += 1
        guard utimes(path, &times) == 0 else { throw GatewayError.system(path) }
        let second = try #require(TextFile.stamp(path))
        #expect(first != second && first.size == 4)
        #expect(TextFile.stamp(path) == second)
    }

    @Test("what is written is there, however long it is", arguments: [0, 1, 3_000_000])
    func durable(count: Int) throws {
        let folder = try TemporaryDirectory()
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        try DurableFile.replace("file", in: folder.path("."), by: bytes)
        #expect(try TextFile.bytes(folder.path("file")) == bytes)
    }

    @Test("a file that cannot be put in its place leaves nothing beside it")
    func notReplaced() throws {
        let folder = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: folder.path("file"), withIntermediateDirectories: false)
        #expect(throws: GatewayError.self) { try DurableFile.replace("file", in: folder.path("."), by: [1]) }
        #expect(access(folder.path("file.new"), F_OK) != 0)
    }

    @Test("a full disk is the reason that is given")
    func full() throws {
        let file = open("/dev/full", O_WRONLY)
        defer { close(file) }
        errno = 0
        #expect(!DurableFile.write([1], to: file))
        #expect(errno == ENOSPC)
    }
}
