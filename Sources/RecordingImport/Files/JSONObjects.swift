/// The objects in an array of JSON, one at a time, whatever the pieces the bytes come in. Values that are objects or arrays are passed over.
struct JSONObjects {
    /// A longer object is no reading of any export: it is passed over.
    static let maximumBytes = 1 << 16

    /// An object's members in its order: texts without quotes, numbers and words as they stand, nothing for null.
    typealias Object = [(name: String, value: String)]

    private let source: any ByteSource
    private var chunk: [UInt8] = []
    private var position = 0

    /// The objects of what `source` gives.
    init(_ source: any ByteSource) { self.source = source }

    /// The next object; nil at the end. One that is none is passed over.
    mutating func next() throws(ImportProblem) -> Object? {
        while let text = try nextText() {
            var reader = Reader(text)
            if let object = reader.object() { return object }
        }
        return nil
    }

    /// The text of the next object that is in no other; empty for one that is too long.
    private mutating func nextText() throws(ImportProblem) -> [UInt8]? {
        var text: [UInt8] = []
        var (depth, isQuoted, isEscaped) = (0, false, false)
        while let byte = try nextByte() {
            if depth == 0, byte != UInt8(ascii: "{") { continue }
            if text.count < Self.maximumBytes { text.append(byte) }
            if isEscaped {
                isEscaped = false
            } else if isQuoted {
                isEscaped = byte == UInt8(ascii: "\\")
                isQuoted = byte != UInt8(ascii: "\"")
            } else if byte == UInt8(ascii: "\"") {
                isQuoted = true
            } else if byte == UInt8(ascii: "{") {
                depth += 1
            } else if byte == UInt8(ascii: "}") {
                depth -= 1
                if depth == 0 { return text.count < Self.maximumBytes ? text : [] }
            }
        }
        return nil
    }

    private mutating func nextByte() throws(ImportProblem) -> UInt8? {
        if position == chunk.count {
            chunk = try source.next()
            position = 0
            if chunk.isEmpty { return nil }
        }
        defer { position += 1 }
        return chunk[position]
    }

    /// Reads the text of one object.
    private struct Reader {
        private let bytes: [UInt8]
        private var position = 0

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        mutating func object() -> Object? {
            guard take("{") else { return nil }
            var members: Object = []
            if take("}") { return members }
            repeat {
                guard let name = text(), take(":") else { return nil }
                if let value = text() ?? word() { members.append((name, value)) } else if !skipNested() { return nil }
            } while take(",")
            return take("}") ? members : nil
        }

        private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
            while position < bytes.count, bytes[position] <= 0x20 { position += 1 }
            guard position < bytes.count, bytes[position] == UInt8(ascii: scalar) else { return false }
            position += 1
            return true
        }

        private mutating func text() -> String? {
            let start = position
            guard take("\"") else { return nil }
            var units: [UInt8] = []
            while position < bytes.count {
                let byte = bytes[position]
                position += 1
                if byte == UInt8(ascii: "\"") { return String(decoding: units, as: UTF8.self) }
                if byte == UInt8(ascii: "\\") { escape(into: &units) } else { units.append(byte) }
            }
            position = start
            return nil
        }

        private mutating func escape(into units: inout [UInt8]) {
            guard position < bytes.count else { return }
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"), UInt8(ascii: "b"), UInt8(ascii: "f"):
                units.append(0x20)
            case UInt8(ascii: "u"):
                let digits = String(decoding: bytes[position..<min(bytes.count, position + 4)], as: UTF8.self)
                position = min(bytes.count, position + 4)
                units += Array(String(Character(UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) ?? "?")).utf8)
            default: units.append(byte)
            }
        }

        /// A number or a word; nothing of null.
        private mutating func word() -> String? {
            while position < bytes.count, bytes[position] <= 0x20 { position += 1 }
            let start = position
            while position < bytes.count, !Self.endsWord(bytes[position]) { position += 1 }
            guard position > start else { return nil }
            let word = String(decoding: bytes[start..<position], as: UTF8.self)
            return word == "null" ? "" : word
        }

        private static func endsWord(_ byte: UInt8) -> Bool {
            switch byte {
            case 0...0x20, UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "\""), UInt8(ascii: "["), UInt8(ascii: "]"),
                UInt8(ascii: "{"), UInt8(ascii: "}"):
                true
            default: false
            }
        }

        /// Passes over an object or an array.
        private mutating func skipNested() -> Bool {
            var depth = 0
            while position < bytes.count {
                if text() != nil { continue }
                switch bytes[position] {
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
                default: break
                }
                guard depth >= 0 else { return false }
                position += 1
                if depth == 0 { return true }
            }
            return false
        }
    }
}
