import GatewayConfiguration
import GatewayPipeline
import Glibc

/// The messages of a recording, in the order of the file; invalid lines are reported and skipped.
struct RecordingReader: ~Copyable {
    private var lines: LineReader
    private let splitter = JSONSplitter()
    private let onProblem: (String) -> Void
    /// The next message; nil before the first and at the end.
    private(set) var head: RecordedMessage?

    /// Opens the recording at `path`; `-` is standard input.
    ///
    /// Its first message is there after the first ``advance()``.
    init(path: String, onProblem: @escaping (String) -> Void) throws(GatewayError) {
        lines = try LineReader(path: path)
        self.onProblem = onProblem
    }

    /// Returns the next message; throws when the file cannot be read on.
    mutating func next() throws(GatewayError) -> RecordedMessage? {
        let message = head
        try advance()
        return message
    }

    /// Reads the next message.
    mutating func advance() throws(GatewayError) {
        head = nil
        while let line = try lines.next() {
            guard line.contains(where: { $0 > 0x20 }) else { continue }
            do throws(GatewayError) {
                head = try RecordedMessage(line: line[...], splitter: splitter)
                return
            } catch {
                onProblem("\(lines.name):\(lines.number): \(error)")
            }
        }
    }
}

/// The lines of a file or of standard input, one at a time, as they arrive.
struct LineReader: ~Copyable {
    /// A longer line is cut: a message is at most 256 KiB, in base64 a third more.
    private static let maximumLineBytes = 1 << 20
    private static let chunkBytes = 1 << 16

    /// The name for error messages.
    let name: String
    /// The number of the line read last, from 1.
    private(set) var number = 0

    private let file: Int32
    private var chunk = [UInt8](repeating: 0, count: chunkBytes)
    /// The part of `chunk` that is not used yet.
    private var unused = 0..<0

    /// Opens `path`; `-` is standard input.
    init(path: String) throws(GatewayError) {
        if path == "-" {
            (name, file) = ("standard input", dup(STDIN_FILENO))
            guard file >= 0 else { throw GatewayError("standard input is closed") }
            return
        }
        (name, file) = (path, open(path, O_RDONLY | O_CLOEXEC))
        guard file >= 0 else { throw .system(path) }
        var status = stat()
        if fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            throw GatewayError("\(path): is a folder")
        }
    }

    deinit { if file >= 0 { close(file) } }

    /// The next line without its newline; nil at the end. Throws when the file cannot be read on.
    mutating func next() throws(GatewayError) -> [UInt8]? {
        var line: [UInt8] = []
        var isThere = false
        while try fill() {
            isThere = true
            let end = newline() ?? unused.upperBound
            line += chunk[unused.lowerBound..<end].prefix(Self.maximumLineBytes - line.count)
            let isWhole = end < unused.upperBound
            unused = (isWhole ? end + 1 : end)..<unused.upperBound
            if isWhole { break }
        }
        guard isThere else { return nil }
        number += 1
        return line
    }

    /// The place of the next newline in the chunk.
    private func newline() -> Int? {
        chunk.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, let found = memchr(start + unused.lowerBound, 0x0A, unused.count) else {
                return nil
            }
            return UnsafeRawPointer(found) - start
        }
    }

    /// Reads more if the chunk is used up; false at the end of the file.
    private mutating func fill() throws(GatewayError) -> Bool {
        guard unused.isEmpty else { return true }
        let count = OpenFile.read(file, into: &chunk)
        guard count >= 0 else { throw .system(name) }
        unused = 0..<count
        return count > 0
    }
}
