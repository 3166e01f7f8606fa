/// The outermost element of an XML file, by the first bytes of it.
enum XMLRoot {
    /// Its name without a prefix; nil where the bytes are no XML, or where it is behind them.
    static func name(of beginning: [UInt8]) -> String? {
        var rest = text(beginning)[...]
        while true {
            rest = rest.drop { $0 <= 0x20 }
            guard rest.first == UInt8(ascii: "<") else { return nil }
            if rest.starts(with: "<?".utf8) {
                guard skip(to: "?>", in: &rest) else { return nil }
            } else if rest.starts(with: "<!--".utf8) {
                guard skip(to: "-->", in: &rest) else { return nil }
            } else if rest.starts(with: "<!".utf8) {
                guard skipDeclaration(in: &rest) else { return nil }
            } else {
                let name = rest.dropFirst().prefix { $0 > 0x20 && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }
                let local = name.split(separator: UInt8(ascii: ":")).last ?? []
                return local.isEmpty ? nil : String(decoding: local, as: UTF8.self)
            }
        }
    }

    /// Without a byte order mark, and of UTF-16 one byte for each ASCII character.
    private static func text(_ bytes: [UInt8]) -> [UInt8] {
        switch bytes.prefix(3) {
        case [0xEF, 0xBB, 0xBF]: Array(bytes.dropFirst(3))
        case let start where start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]):
            bytes.dropFirst(2).filter { $0 != 0 }
        default: bytes
        }
    }

    private static func skip(to mark: String, in rest: inout ArraySlice<UInt8>) -> Bool {
        let mark = Array(mark.utf8)
        while !rest.isEmpty {
            if rest.starts(with: mark) {
                rest = rest.dropFirst(mark.count)
                return true
            }
            rest = rest.dropFirst()
        }
        return false
    }

    /// A document type may have declarations in brackets.
    private static func skipDeclaration(in rest: inout ArraySlice<UInt8>) -> Bool {
        var isInBrackets = false
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "[") { isInBrackets = true }
            if byte == UInt8(ascii: "]") { isInBrackets = false }
            if byte == UInt8(ascii: ">"), !isInBrackets { return true }
        }
        return false
    }
}
