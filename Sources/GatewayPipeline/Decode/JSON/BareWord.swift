/// Words and numbers outside the strings of a text that is, or should be, JSON.
enum BareWord {
    /// The byte offset of the first one for which `isWanted` holds; nil where there is none.
    static func offset(in bytes: [UInt8], where isWanted: (String) -> Bool) -> Int? {
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\"") {
                index = endOfString(in: bytes, from: index)
                continue
            }
            let end = bytes[index...].firstIndex { !isPartOfWord($0) } ?? bytes.count
            if end > index, isWanted(String(decoding: bytes[index..<end], as: UTF8.self)) { return index }
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
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "/"):
            true
        default: false
        }
    }
}
