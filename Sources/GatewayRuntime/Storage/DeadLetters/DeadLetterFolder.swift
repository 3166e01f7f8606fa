import GatewayPipeline
import Glibc
import TelemetryModel

/// The frames that were set aside, each a recording of one line: `{stateDirectory}/deadletters/{name}.ndjson`.
///
/// A frame has one file, however often it is set aside: a process that ends before its commit gets the frame again. At most
/// ``mostFrames`` are kept: of more, the oldest are removed.
package struct DeadLetterFolder: Sendable {
    /// How many frames are kept at the most.
    package static let mostFrames = 1_000
    private static let suffix = ".ndjson"

    /// The folder.
    package var path: String { "\(stateDirectory)/\(Self.name)" }
    private let stateDirectory: String
    private static let name = "deadletters"

    /// The folder of a state directory; created with the first frame.
    package init(stateDirectory: String) { self.stateDirectory = stateDirectory }

    /// What `keep` did.
    struct Kept: Equatable {
        /// The frame's name.
        var name: String
        /// Whether it was there already.
        var isRepeated = false
        /// The names of the oldest frames, which were removed to make room.
        var removed: [String] = []
    }

    /// Writes a frame, synchronized to disk, unless its file is there.
    func keep(_ message: RecordedMessage, lane: String) throws(GatewayError) -> Kept {
        try StateFiles.makeFolder(Self.name, in: stateDirectory)
        let names = try names()
        let mark = "-\(lane)-\(Self.hash(of: message))"
        // Frames with one hash may differ: the hash does not protect against deliberate collisions.
        let known = names.first { $0.contains(mark) && (try? read($0))?.message.hasContent(of: message.message) == true }
        if let known { return Kept(name: known, isRepeated: true) }
        let oldest = Array(names.prefix(max(0, names.count + 1 - Self.mostFrames)))
        for name in oldest { try remove(name) }
        return Kept(name: try write(message, as: "\(Int(exactly: (message.at * 1_000).rounded()) ?? 0)\(mark)"), removed: oldest)
    }

    private static func hash(of message: RecordedMessage) -> String {
        var hash = FNV1a64()
        hash.add(message.message.topic)
        hash.add(message.message.payload.span)
        return hash.digits
    }

    private func write(_ message: RecordedMessage, as wanted: String) throws(GatewayError) -> String {
        var name = wanted
        var attempt = 1
        while TextFile.stamp(file(of: name)) != nil {
            attempt += 1
            name = "\(wanted)-\(attempt)"
        }
        do throws(GatewayError) {
            try DurableFile.replace(name + Self.suffix, in: path, by: message.line + [UInt8(ascii: "\n")])
        } catch {
            unlink(file(of: name))
            throw error
        }
        return name
    }

    /// The names of all, oldest first.
    package func names() throws(GatewayError) -> [String] {
        try Folder.names(in: path).filter { $0.hasSuffix(Self.suffix) }.map { String($0.dropLast(Self.suffix.count)) }.sorted()
    }

    /// The frame of that name, and when it was set aside.
    package func read(_ name: String) throws(GatewayError) -> RecordedMessage {
        guard !name.contains("/"), !name.hasPrefix("."), TextFile.stamp(file(of: name)) != nil else {
            throw GatewayError("no dead letter is called \(name)")
        }
        let bytes = try StateFiles.bytes(file(of: name))
        do {
            return try Self.frame(in: bytes)
        } catch {
            throw GatewayError("\(file(of: name)): \(error)")
        }
    }

    private static func frame(in bytes: [UInt8]) throws(GatewayError) -> RecordedMessage {
        try RecordedMessage(line: bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...])
    }

    /// The lane on which the frame of that name was received; empty when the name does not hold one.
    package static func lane(of name: String) -> String {
        name.split(separator: "-").dropFirst().first.map(String.init) ?? ""
    }

    /// Removes the frames that `isIncluded` names, and files of which it cannot be read whose they are: damaged ones, and what was
    /// being written when a process ended.
    func remove(where isIncluded: (InboundMessage) -> Bool) throws(GatewayError) {
        for name in try names() {
            let bytes = try StateFiles.bytes(file(of: name))
            let frame = try? Self.frame(in: bytes)
            if frame.map({ isIncluded($0.message) }) ?? true { try remove(name) }
        }
        for name in try Folder.names(in: path) where name.hasSuffix(Self.suffix + DurableFile.unfinished) {
            // A lane that is writing it now fails with that, and has the frame again.
            guard unlink("\(path)/\(name)") == 0 || errno == ENOENT else { throw .system("\(path)/\(name)") }
        }
    }

    /// Removes a frame.
    package func remove(_ name: String) throws(GatewayError) {
        if unlink(file(of: name)) != 0 { throw GatewayError.system(file(of: name)) }
    }

    /// The path of a frame's file.
    package func file(of name: String) -> String { "\(path)/\(name)\(Self.suffix)" }
}

extension InboundMessage {
    /// Whether topic and payload are those of `other`.
    fileprivate func hasContent(of other: InboundMessage) -> Bool { topic == other.topic && payload == other.payload }
}
