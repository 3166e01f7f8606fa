/// What is before the outermost element of an XML file: the declaration, comments, instructions, and the document type, of which only the end is
/// looked for, as what stands in it is often not well formed.
struct XMLProlog {
    /// Why it is not found.
    enum Absence: Error {
        /// More bytes are needed.
        case incomplete
        /// The bytes are no XML.
        case none
    }

    /// Where the outermost element begins.
    private(set) var end = 0
    /// Where the document type is; nil without one.
    private(set) var documentType: Range<Int>?
    /// Where the name of the encoding is; nil where none is declared.
    private(set) var encoding: Range<Int>?

    /// Reads what a file begins with.
    init(_ bytes: [UInt8]) throws(Absence) {
        var reader = Reader(bytes: bytes, position: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
        while true {
            reader.skipBlanks()
            let start = reader.position
            guard let mark = reader.byte else { throw .incomplete }
            guard mark == UInt8(ascii: "<") else { throw .none }
            if reader.isAt("<?") {
                try reader.skip(past: "?>")
                if encoding == nil { encoding = Self.encoding(in: start..<reader.position, of: bytes) }
            } else if reader.isAt("<!--") {
                try reader.skip(past: "-->")
            } else if reader.isAt("<!DOCTYPE") {
                try reader.skipDocumentType()
                documentType = documentType ?? start..<reader.position
            } else if bytes.count - start < "<!DOCTYPE".utf8.count, bytes.count - start < 2 || reader.isAt("<!") {
                throw .incomplete
            } else {
                end = start
                return
            }
        }
    }

    private static func encoding(in declaration: Range<Int>, of bytes: [UInt8]) -> Range<Int>? {
        var reader = Reader(bytes: Array(bytes[..<declaration.upperBound]), position: declaration.lowerBound)
        guard reader.isAt("<?xml"), (try? reader.skip(past: "encoding")) != nil else { return nil }
        reader.skipBlanks()
        guard reader.byte == UInt8(ascii: "=") else { return nil }
        reader.position += 1
        reader.skipBlanks()
        guard let quote = reader.byte, Reader.quotes.contains(quote) else { return nil }
        let start = reader.position + 1
        return bytes[start..<declaration.upperBound].firstIndex(of: quote).map { start..<$0 }
    }

    private struct Reader {
        static let quotes = [UInt8(ascii: "\""), UInt8(ascii: "'")]

        let bytes: [UInt8]
        var position: Int

        var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

        func isAt(_ text: StaticString) -> Bool {
            text.withUTF8Buffer { text in
                bytes.count - position >= text.count && text.indices.allSatisfy { bytes[position + $0] == text[$0] }
            }
        }

        mutating func skipBlanks() { while let byte, byte <= 0x20 { position += 1 } }

        mutating func skip(past mark: StaticString) throws(Absence) {
            while !isAt(mark) {
                guard position < bytes.count else { throw .incomplete }
                position += 1
            }
            position += mark.utf8CodeUnitCount
        }

        /// Declarations in brackets may lack their ends, so the end is the bracket with a `>` behind it.
        mutating func skipDocumentType() throws(Absence) {
            var isInBrackets = false
            var quote: UInt8?
            while let byte {
                if quote == nil, byte == UInt8(ascii: "<"), isAt("<!--") {
                    try skip(past: "-->")
                    continue
                }
                position += 1
                if let open = quote {
                    // A quote that is left open ends with its line.
                    if byte == open || byte == 0x0A { quote = nil }
                } else if Self.quotes.contains(byte) {
                    quote = byte
                } else if byte == UInt8(ascii: "[") {
                    isInBrackets = true
                } else if byte == UInt8(ascii: "]"), isInBrackets {
                    skipBlanks()
                    isInBrackets = self.byte != UInt8(ascii: ">")
                } else if byte == UInt8(ascii: ">"), !isInBrackets {
                    return
                }
            }
            throw .incomplete
        }
    }
}
