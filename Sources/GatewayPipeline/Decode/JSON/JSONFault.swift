/// Where and why a text is not JSON. simdjson's DOM does not report this, so rejected payloads are parsed again.
struct JSONFault: Error {
    /// The place in bytes from the start.
    var offset: Int
    /// The JSON pointer to the value that the place is in; empty for the whole text.
    var pointer: String
    /// What was found or expected there.
    var detail: String

    /// The first fault of `bytes`, which are UTF-8; nil when there is none. Nesting deeper than `maximumNesting` is one.
    static func find(in bytes: [UInt8], maximumNesting: Int) -> JSONFault? {
        var scanner = JSONScanner(bytes: bytes, maximumNesting: maximumNesting)
        do throws(JSONFault) {
            try scanner.scan()
            return nil
        } catch {
            return error
        }
    }

    /// The first byte that does not belong to valid UTF-8; nil when all do.
    static func firstInvalidUTF8(in bytes: [UInt8]) -> Int? {
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var offset = 0
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let scalar): offset += scalar.count
            case .error: return offset
            case .emptyInput: return nil
            }
        }
    }
}

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
        BareWord.offset(in: bytes) { isNamed($0) || Double($0)?.isInfinite == true }
    }
}

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

extension String {
    private static let longestName = 64

    /// The one of `names` that is most likely meant to be this one: differs from it in case, or in at most a third of its
    /// characters; nil where none does.
    func nearest(among names: some Sequence<String>) -> String? {
        let wanted = Array(lowercased().utf8)
        var nearest: (name: String, distance: Int)?
        for name in names where name != self && name.utf8.count <= Self.longestName {
            let distance = name.lowercased().utf8.editDistance(to: wanted)
            guard distance * 3 <= wanted.count, distance < nearest?.distance ?? .max else { continue }
            nearest = (name, distance)
        }
        return nearest?.name
    }
}

extension String {
    /// The text without spaces, tabs and line ends around it.
    var trimmingSpaces: Substring {
        let isSpace = { (character: Character) in character.isASCII && character.isWhitespace }
        var text = drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return text
    }
}
