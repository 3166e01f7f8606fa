import Foundation
import GatewayPipeline
import GatewayTestSupport
import LocalBroker
import TelemetryModel
import Testing

@testable import GatewayRuntime

@Suite("The folder of dead letters")
struct DeadLetterFolderTests {
    private let directory: TemporaryDirectory
    private let folder: DeadLetterFolder

    init() throws {
        directory = try TemporaryDirectory()
        folder = DeadLetterFolder(stateDirectory: directory.url.path)
    }

    private func message(_ payload: [UInt8], at: Double = 1_763_749_000.25) -> RecordedMessage {
        RecordedMessage(at: at, message: InboundMessage(topic: "wearables/d1/in/submersion", payload: payload, retain: true))
    }

    @Test(
        "a payload comes back byte for byte, whatever it is",
        arguments: [
            [], Array("{}".utf8), Array(" {\"a\":1} ".utf8), Array("{} x".utf8), Array("{\"a\":\"\u{1}\"}".utf8),
            Array("{},\"topic\":\"wearables/d2/in/command\"".utf8), Array("{\"a\":\"".utf8) + [0xFF, 0xC0] + Array("\"}".utf8),
            [0x00, 0x0A, 0xFF],
        ] as [[UInt8]])
    func bytes(_ payload: [UInt8]) throws {
        let name = try folder.keep(message(payload), lane: "safety").name
        #expect(try folder.read(name) == message(payload))
    }

    @Test("names hold time, lane and a hash, are unique, and are listed oldest first")
    func names() throws {
        #expect(try folder.names() == [])
        for payload in 1...2 { _ = try folder.keep(message([UInt8(payload)]), lane: "bulk") }
        _ = try folder.keep(message([3], at: 1_763_748_000), lane: "safety")
        try directory.write("", to: "deadletters/notes.txt")
        let names = try folder.names()
        #expect(names.map { $0.prefix { $0 != "-" } } == ["1763748000000", "1763749000250", "1763749000250"])
        #expect(names.map(DeadLetterFolder.lane(of:)) == ["safety", "bulk", "bulk"])
        #expect(try Set(names.map { try folder.read($0).message.payload }) == [[1], [2], [3]])
    }

    @Test("a frame has one file, whenever it is set aside, and another frame or lane has its own")
    func oneFile() throws {
        let first = try folder.keep(message([1]), lane: "bulk")
        #expect(try folder.keep(message([1], at: 1_763_749_100), lane: "bulk") == .init(name: first.name, isRepeated: true))
        _ = try folder.keep(message([1]), lane: "motion")
        var other = message([1])
        other.message.topic = "wearables/d2/in/submersion"
        _ = try folder.keep(other, lane: "bulk")
        #expect(try folder.names().count == 3)
        #expect(try folder.read(first.name) == message([1]))
    }

    @Test("of more frames than the folder may hold the oldest are removed")
    func limit() throws {
        let first = try folder.keep(message([0, 0], at: 1_763_740_000), lane: "bulk").name
        for number in 1..<DeadLetterFolder.mostFrames {
            try directory.write("", to: "deadletters/\(1_763_741_000_000 + number)-bulk-0.ndjson")
        }
        let kept = try folder.keep(message([7]), lane: "bulk")
        #expect(kept.removed == [first])
        let names = try folder.names()
        #expect(names.count == DeadLetterFolder.mostFrames)
        #expect(names.last == kept.name)
    }

    @Test("removing a frame leaves the others")
    func remove() throws {
        let names = try (1...2).map { try folder.keep(message([UInt8($0)]), lane: "bulk").name }
        try folder.remove(names[0])
        #expect(try folder.names() == [names[1]])
        #expect(throws: GatewayError.self) { try folder.remove(names[0]) }
    }

    @Test("an erasure leaves nothing of which it is not known whose it is: damaged files, and those that a kill left unfinished")
    func erased() throws {
        let names = try (1...3).map { try folder.keep(message([UInt8($0)]), lane: "bulk").name }
        try directory.write("{\"at\":1,\"topic\":\"wea", to: "deadletters/\(names[1]).ndjson")
        try directory.write("{\"at\":1,\"topic\":\"wea", to: "deadletters/1-bulk-0.ndjson.new")
        try directory.write("", to: "deadletters/notes.txt")
        try folder.remove { $0.payload == [3] }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files.sorted() == ["\(names[0]).ndjson", "notes.txt"])
    }

    @Test("an erasure does not take a file that cannot be opened for one without frames")
    func unopened() throws {
        let name = try folder.keep(message([1]), lane: "bulk").name
        try FileManager.default.linkItem(atPath: folder.file(of: name), toPath: directory.path("second"))
        #expect { try folder.remove { _ in false } } throws: { "\($0)".contains("\(name).ndjson: has 2 names") }
        #expect(try folder.names() == [name])
    }

    @Test(
        "the name of no frame is an error, and no name leads out of the folder", arguments: ["nothing", "../secret", ".hidden"])
    func unknown(name: String) throws {
        try directory.write("{}", to: "secret.ndjson")
        _ = try folder.keep(message([1]), lane: "bulk")
        #expect {
            try folder.read(name)
        } throws: { error in
            "\(error)" == "no dead letter is called \(name)"
        }
    }

    @Test("the error for a file that holds no frame names its path")
    func damaged() throws {
        let name = try folder.keep(message([1]), lane: "bulk").name
        try directory.write("half a li", to: "deadletters/\(name).ndjson")
        #expect {
            try folder.read(name)
        } throws: { error in
            "\(error)".contains("\(name).ndjson: no JSON object")
        }
    }
}
