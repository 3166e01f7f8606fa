import Glibc

/// The lines in a stream of bytes, whatever their ends and whatever the pieces the bytes come in.
struct LineScanner {
    /// A longer line is not a row of any export: its rest is skipped.
    static let maximumBytes = 1 << 16

    private let chunks: () throws(ImportProblem) -> [UInt8]
    private var buffer: [UInt8] = []
    private var position = 0
    private var isAtEnd = false
    /// What ends a line: a carriage return alone where the first piece has no line feed.
    private var lineEnd = UInt8(ascii: "\n")

    /// The number of the line read last, from 1.
    private(set) var number = 0
    /// Whether the line read last ends with the file and not with a line feed.
    private(set) var isUnterminated = false

    /// The lines of what `chunks` gives until it gives an empty piece.
    init(chunks: @escaping () throws(ImportProblem) -> [UInt8]) { self.chunks = chunks }

    /// The next line without its end; nil when there is none.
    mutating func next() throws(ImportProblem) -> [UInt8]? {
        var searched = 0
        while true {
            if let end = newline(after: searched) {
                defer { position = end + 1 }
                return line(upTo: end)
            }
            searched = min(buffer.count - position, Self.maximumBytes + 1)
            guard !isAtEnd else {
                guard position < buffer.count else { return nil }
                isUnterminated = true
                defer { position = buffer.count }
                return line(upTo: buffer.count)
            }
            try fill()
        }
    }

    /// Passes over lines without anything but blanks, of which a file may have any number; `cell` is none.
    mutating func skipBlankLines(but cell: UInt8? = nil) throws(ImportProblem) {
        while true {
            let (lines, start, end) = buffer.withUnsafeBytes { bytes in
                var (lines, start, index) = (0, position, position)
                while index < bytes.count, bytes[index] <= 0x20, bytes[index] != cell {
                    index += 1
                    if bytes[index - 1] == lineEnd { (lines, start) = (lines + 1, index) }
                }
                return (lines, start, index)
            }
            number += lines
            position = start
            guard end == buffer.count, end - start <= Self.maximumBytes, !isAtEnd else { return }
            try fill()
        }
    }

    private mutating func line(upTo end: Int) -> [UInt8] {
        number += 1
        var last = min(end, position + Self.maximumBytes)
        if last > position, buffer[last - 1] == UInt8(ascii: "\r") { last -= 1 }
        return Array(buffer[position..<last])
    }

    private func newline(after searched: Int) -> Int? {
        let start = position + searched
        return buffer.withUnsafeBytes { bytes in
            guard start < bytes.count, let base = bytes.baseAddress else { return nil }
            return memchr(base + start, Int32(lineEnd), bytes.count - start).map { UnsafeRawPointer($0) - base }
        }
    }

    /// Adds a piece; of a line that is too long already only its beginning is kept.
    private mutating func fill() throws(ImportProblem) {
        if buffer.count - position > Self.maximumBytes + 1 {
            buffer.removeSubrange((position + Self.maximumBytes + 1)...)
        }
        let chunk = try chunks()
        isAtEnd = chunk.isEmpty
        let other = UInt8(ascii: "\r")
        if number == 0, buffer.isEmpty, chunk.contains(other), !chunk.contains(lineEnd) { lineEnd = other }
        buffer.removeFirst(position)
        position = 0
        buffer += chunk
    }
}
