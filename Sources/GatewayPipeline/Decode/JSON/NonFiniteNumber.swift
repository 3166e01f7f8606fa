/// Numbers that are not finite, which JSON does not allow and many programs write.
enum NonFiniteNumber {
    private static let names: Set<String> = ["nan", "inf", "infinity"]

    /// Whether `text` names a number that is not finite, with or without a sign, in either case.
    static func isNamed(_ text: String) -> Bool {
        let unsigned = text.first.map { $0 == "-" || $0 == "+" } == true ? text.dropFirst() : text[...]
        return names.contains(unsigned.lowercased())
    }

    /// The byte offset of the first number that is not finite outside the strings of a text that is not JSON; nil where there is
    /// none.
    static func offset(in bytes: [UInt8]) -> Int? {
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\"") {
                index = endOfString(in: bytes, from: index)
                continue
            }
            let end = bytes[index...].firstIndex { !isPartOfWord($0) } ?? bytes.count
            if end > index {
                let word = String(decoding: bytes[index..<end], as: UTF8.self)
                if isNamed(word) || Double(word)?.isInfinite == true { return index }
            }
            index = max(end, index + 1)
        }
        return nil
    }

    private static func endOfString(in bytes: [UInt8], from start: Int) -> Int {
        var index = start + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return index + 1
    }

    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
