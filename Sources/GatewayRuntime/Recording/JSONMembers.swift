import Foundation

/// Cuts one line of JSON into the members of its object, each value as it was written.
///
/// A recorded payload must reach the pipeline byte for byte, bad ones above all, so it is not parsed here.
struct JSONMembers {
    /// A line that is no JSON object.
    struct Malformed: Error {
        /// Where, in bytes from the start of the line.
        var offset: Int
    }

    private let bytes: ArraySlice<UInt8>
    private var index: Int

    /// The members of the object in `line`, the last of equal keys winning.
    static func read(_ line: ArraySlice<UInt8>) throws(Malformed) -> [String: ArraySlice<UInt8>] {
        var reader = JSONMembers(bytes: line, index: line.startIndex)
        return try reader.members()
    }

    private mutating func members() throws(Malformed) -> [String: ArraySlice<UInt8>] {
        var members: [String: ArraySlice<UInt8>] = [:]
        try expect("{")
        skipSpace()
        if peek == UInt8(ascii: "}") {
            try expect("}")
            skipSpace()
            guard index == bytes.endIndex else { throw malformed }
            return members
        }
        while true {
            skipSpace()
            let key = try string()
            try expect(":")
            skipSpace()
            members[key] = try value()
            skipSpace()
            if peek == UInt8(ascii: ",") {
                index += 1
                continue
            }
            try expect("}")
            skipSpace()
            guard index == bytes.endIndex else { throw malformed }
            return members
        }
    }

    private var peek: UInt8? { index < bytes.endIndex ? bytes[index] : nil }
    private var malformed: Malformed { Malformed(offset: index - bytes.startIndex) }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A { index += 1 }
    }

    private mutating func expect(_ character: Unicode.Scalar) throws(Malformed) {
        skipSpace()
        guard let byte = peek, byte == UInt8(ascii: character) else { throw malformed }
        index += 1
    }

    /// A string.
    private mutating func string() throws(Malformed) -> String {
        let slice = try value()
        guard let text = Self.text(slice) else { throw malformed }
        return text
    }

    /// The text of a JSON string; nil when `slice` is none.
    static func text(_ slice: ArraySlice<UInt8>) -> String? {
        guard slice.count >= 2, slice.first == UInt8(ascii: "\""), slice.last == UInt8(ascii: "\"") else { return nil }
        return try? JSONDecoder().decode(String.self, from: Data(slice))
    }

    private mutating func value() throws(Malformed) -> ArraySlice<UInt8> {
        let start = index
        var depth = 0
        var isString = false
        while let byte = peek {
            if isString {
                if byte == UInt8(ascii: "\\") { index += 1 }
                isString = byte != UInt8(ascii: "\"")
            } else {
                switch byte {
                case UInt8(ascii: "\""): isString = true
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x09, 0x0D:
                    if depth == 0 {
                        guard index > start else { throw malformed }
                        return bytes[start..<index]
                    }
                    if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") { depth -= 1 }
                default: break
                }
            }
            index += 1
            if depth == 0, !isString, index < bytes.endIndex,
                [UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: "\"")].contains(byte)
            {
                return bytes[start..<index]
            }
        }
        throw malformed
    }
}
