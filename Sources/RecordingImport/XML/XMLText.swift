/// The bytes of an XML file for a parser that ends at the first fault: of what programs write wrongly, what holds no value is blanked.
///
/// The document type goes, and with it all entities; characters and bytes that XML does not allow, and a `&` that begins no reference that every
/// file has, are blanks. A declared UTF-16 is UTF-8: it was decoded before, or was never true. Lines stay where they are.
struct XMLText {
    /// No file has more before its outermost element.
    private static let longestProlog = 1 << 20
    /// No reference that is read is longer.
    private static let longestReference = 12
    private static let wideEncodings = [
        "utf-16", "utf16", "utf-32", "utf32", "ucs-2", "ucs-4", "iso-10646", "unicode", "csunicode",
    ]
    private static let references = ["amp;", "lt;", "gt;", "quot;", "apos;"].map { Array($0.utf8) }
    private static let blank = UInt8(ascii: " ")

    private let file: String
    private let chunks: () throws(ImportProblem) -> [UInt8]
    private var held: [UInt8] = []
    private var (isBegun, isAtEnd) = (false, false)
    private var isUTF8 = true

    /// How many characters, and parts of ones, were blanked behind the document type.
    private(set) var blanked = 0

    /// The text of `file`, whose bytes `chunks` gives.
    init(file: String, chunks: @escaping () throws(ImportProblem) -> [UInt8]) { (self.file, self.chunks) = (file, chunks) }

    /// The next piece; empty at the end.
    mutating func next() throws(ImportProblem) -> [UInt8] {
        if !isBegun {
            try readProlog()
            isBegun = true
            return take()
        }
        while !isAtEnd {
            try read()
            let text = take()
            if !text.isEmpty { return text }
        }
        return []
    }

    private mutating func read() throws(ImportProblem) {
        let chunk = try chunks()
        isAtEnd = chunk.isEmpty
        held += chunk
    }

    private mutating func readProlog() throws(ImportProblem) {
        while true {
            try read()
            do throws(XMLProlog.Absence) { return clear(try XMLProlog(held)) } catch {
                if error == .none || isAtEnd { return }
            }
            guard held.count < Self.longestProlog else {
                throw ImportProblem("has no element in its first \(Self.longestProlog) bytes", file: file)
            }
        }
    }

    private mutating func clear(_ prolog: XMLProlog) {
        if let encoding = prolog.encoding {
            let name = String(decoding: held[encoding], as: UTF8.self).lowercased()
            if Self.wideEncodings.contains(where: name.hasPrefix) {
                let quote = held[encoding.upperBound]
                let text = Array("utf-8".utf8) + [quote]
                for (index, place) in (encoding.lowerBound...encoding.upperBound).enumerated() {
                    held[place] = index < text.count ? text[index] : Self.blank
                }
            } else {
                isUTF8 = ["utf-8", "utf8"].contains(name)
            }
        }
        for place in prolog.documentType ?? 0..<0 where held[place] != 0x0A { held[place] = Self.blank }
    }

    /// What is held, but for a reference or a character at its end that is not whole.
    private mutating func take() -> [UInt8] {
        var text = held
        let end = isAtEnd ? text.count : wholeEnd(of: text)
        held = Array(text[end...])
        text.removeSubrange(end...)
        blanked += text.withUnsafeMutableBufferPointer { Cleaner(text: $0, isUTF8: isUTF8).clean() }
        return text
    }

    private func wholeEnd(of text: [UInt8]) -> Int {
        let tail = text.suffix(Self.longestReference)
        var end = text.count
        if let start = tail.lastIndex(of: UInt8(ascii: "&")), !tail[start...].contains(UInt8(ascii: ";")) { end = start }
        if isUTF8, let start = text[..<end].suffix(3).lastIndex(where: { $0 >= 0xC0 }),
            start + Cleaner.length(text[start]) > end
        {
            end = start
        }
        return end
    }

    private struct Cleaner {
        let text: UnsafeMutableBufferPointer<UInt8>
        let isUTF8: Bool

        /// Blanks what is wrong, and counts it.
        func clean() -> Int {
            var (position, count) = (0, 0)
            while position < text.count {
                let byte = text[position]
                var (length, isRight) = (1, true)
                if byte < 0x20 {
                    isRight = byte == 0x09 || byte == 0x0A || byte == 0x0D
                } else if byte == UInt8(ascii: "&") {
                    (length, isRight) = reference(at: position)
                } else if byte >= 0x80, isUTF8 {
                    (length, isRight) = character(at: position)
                }
                if !isRight {
                    count += 1
                    for place in position..<position + length { text[place] = XMLText.blank }
                }
                position += length
            }
            return count
        }

        /// The bytes of a character that begins so.
        static func length(_ byte: UInt8) -> Int { byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4 }

        private func reference(at position: Int) -> (Int, Bool) {
            let rest = text[(position + 1)...].prefix(XMLText.longestReference)
            guard rest.first == UInt8(ascii: "#") else { return (1, XMLText.references.contains { rest.starts(with: $0) }) }
            guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { return (1, false) }
            let digits = String(decoding: rest.dropFirst()[..<end], as: UTF8.self)
            let value = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            return (end + 1 - position, value.map(Self.isAllowed) ?? false)
        }

        private func character(at position: Int) -> (Int, Bool) {
            let length = min(Self.length(text[position]), text.count - position)
            var bytes = text[position..<position + length].makeIterator()
            var decoder = UTF8()
            guard case .scalarValue(let scalar) = decoder.decode(&bytes), UTF8.width(scalar) == length else { return (1, false) }
            return (length, Self.isAllowed(scalar.value))
        }

        private static func isAllowed(_ value: UInt32) -> Bool {
            switch value {
            case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
            default: false
            }
        }
    }
}
