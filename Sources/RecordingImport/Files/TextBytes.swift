/// A file as UTF-8 where its bytes are UTF-16, with a byte order mark or without; any other file as it is.
final class TextBytes: ByteSource {
    private static let marks: [(bytes: [UInt8], isBigEndian: Bool)] = [([0xFF, 0xFE], false), ([0xFE, 0xFF], true)]
    /// How many bytes show whether text without a mark is UTF-16.
    private static let shownBy = 16

    private let source: any ByteSource
    private var isBegun = false
    /// Nil where the bytes stay as they are.
    private var isBigEndian: Bool?
    /// Bytes that were read and not given: at the beginning of any file, later of a character that is not whole.
    private var held: [UInt8] = []

    /// The text of what `source` gives.
    init(_ source: any ByteSource) { self.source = source }

    func next() throws(ImportProblem) -> [UInt8] {
        if !isBegun {
            isBegun = true
            held = try FilePlace.beginning(of: source, atLeast: Self.shownBy)
            isBigEndian = Self.isBigEndian(held)
            if isBigEndian != nil, Self.marks.contains(where: { held.starts(with: $0.bytes) }) { held.removeFirst(2) }
            if isBigEndian == nil { return take(isLast: false) }
        }
        guard isBigEndian != nil else { return try source.next() }
        while true {
            let piece = try source.next()
            held += piece
            let text = take(isLast: piece.isEmpty)
            if !text.isEmpty || piece.isEmpty { return text }
        }
    }

    /// What is held as UTF-8; bytes that are no character become U+FFFD.
    private func take(isLast: Bool) -> [UInt8] {
        guard let isBigEndian else { return exchange(&held, with: []) }
        var units = stride(from: 0, to: held.count - 1, by: 2).map { index in
            let (low, high) = isBigEndian ? (held[index + 1], held[index]) : (held[index], held[index + 1])
            return UInt16(high) << 8 | UInt16(low)
        }
        if !isLast, let unit = units.last, UTF16.isLeadSurrogate(unit) { units.removeLast() }
        held.removeFirst(2 * units.count)
        if isLast, !held.isEmpty {
            units.append(0xFFFD)
            held = []
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }

    /// Whether UTF-16 that begins so has the high byte first; nil where it is none.
    private static func isBigEndian(_ bytes: [UInt8]) -> Bool? {
        // A mark with two zeros behind it is that of UTF-32.
        if let mark = marks.first(where: { bytes.starts(with: $0.bytes) }) {
            return bytes[2...].starts(with: [0, 0]) ? nil : mark.isBigEndian
        }
        let start = bytes.prefix(shownBy)
        guard start.count >= 4 else { return nil }
        let zeros = start.enumerated().filter { $0.element == 0 }.map { $0.offset % 2 }
        guard zeros.count == start.count / 2, let first = zeros.first, zeros.allSatisfy({ $0 == first }) else { return nil }
        return first == 0
    }
}
