#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Frames as files of one folder, named by their place; a file appears whole or not at all.
struct FrameFolder: Sendable {
    private static let suffix = ".frame"
    /// 2^64 has 20 digits.
    private static let digits = 20

    private let folder: URL

    init(path: String) throws {
        folder = URL(filePath: path, directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// The places of the files, in order.
    func places() throws -> [Outbox.Place] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).compactMap { name in
            guard name.hasSuffix(Self.suffix) else { return nil }
            return Outbox.Place(name.dropLast(Self.suffix.count)).flatMap { $0 < .max ? $0 : nil }
        }.sorted()
    }

    func write(_ frame: Frame, at place: Outbox.Place) throws {
        try Data(frame.stored).write(to: url(place), options: .atomic)
    }

    /// The frame of a file; nil where there is none, or the file holds something else. Throws where it cannot be read now: before a
    /// device is unlocked, for example.
    func read(_ place: Outbox.Place) throws -> Frame? {
        guard FileManager.default.fileExists(atPath: url(place).path) else { return nil }
        return Frame(stored: [UInt8](try Data(contentsOf: url(place))))
    }

    func remove(_ place: Outbox.Place) throws {
        let path = url(place).path
        guard FileManager.default.fileExists(atPath: path) else { return }
        try FileManager.default.removeItem(atPath: path)
    }

    private func url(_ place: Outbox.Place) -> URL {
        let number = String(place)
        let zeros = String(repeating: "0", count: Self.digits - number.utf8.count)
        return folder.appending(path: zeros + number + Self.suffix)
    }
}

extension Frame {
    /// Topic, boot and `seq`, a line each, then the payload.
    fileprivate var stored: [UInt8] { Array("\(topic)\n\(boot)\n\(sequence)\n".utf8) + payload }

    /// Reads what `stored` wrote; nil for other bytes.
    fileprivate init?(stored bytes: [UInt8]) {
        let parts = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        let topic = String(decoding: parts[0], as: UTF8.self)
        guard let stream = topic.split(separator: "/").last.flatMap({ StreamName(rawValue: String($0)) }),
            let boot = BootID(String(decoding: parts[1], as: UTF8.self)),
            let sequence = UInt64(String(decoding: parts[2], as: UTF8.self)), parts[3].first == UInt8(ascii: "{"),
            parts[3].last == UInt8(ascii: "}")
        else { return nil }
        self.init(topic: topic, stream: stream, boot: boot, sequence: sequence, payload: Array(parts[3]))
    }
}
