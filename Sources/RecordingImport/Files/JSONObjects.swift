/// The objects in an array of JSON, one at a time, whatever the pieces the bytes come in. Values that are objects or arrays are passed over.
///
/// What is damaged is reported with its place, and reading goes on with the next object.
struct JSONObjects {
    /// A longer object is no reading of any export: it is passed over.
    static let maximumBytes = 1 << 16
    /// So many faults are reported one by one, and so often an object is looked for in what was taken for one.
    private static let (mostReports, mostReturns) = (5, 256)

    /// An object's members in its order: texts without quotes, numbers and words as they stand, nothing for null.
    typealias Object = [(name: String, value: String)]

    private let source: any ByteSource
    private let onFault: (String) -> Void
    private var chunk: [UInt8] = []
    private var position = 0
    private var isAtEnd = false
    /// The place of `position` in the file.
    private var offset = 0
    /// How many arrays are open.
    private var arrays = 0
    private var (faults, returns) = (0, 0)

    /// The objects of what `source` gives; `onFault` is called with what is damaged.
    init(_ source: any ByteSource, onFault: @escaping (String) -> Void = { _ in }) {
        (self.source, self.onFault) = (source, onFault)
    }

    /// The next object; nil at the end.
    mutating func next() throws(ImportProblem) -> Object? {
        while let (start, text) = try nextText() {
            var reader = Reader(text)
            if let object = reader.object() { return object }
            report("what begins here is no reading, and is left out", at: start)
        }
        return nil
    }

    private mutating func report(_ reason: String, at offset: Int) {
        faults += 1
        if faults <= Self.mostReports { onFault("byte \(offset): \(reason)") }
    }

    private mutating func end() {
        if arrays > 0, faults == 0 { report("the JSON has no end: it was cut short; what stands before is read", at: offset) }
        if faults > Self.mostReports { onFault("\(faults - Self.mostReports) more places of the JSON are damaged") }
        (arrays, faults) = (0, 0)
    }

    /// The text of the next object that is in no other, and its place.
    private mutating func nextText() throws(ImportProblem) -> (start: Int, text: [UInt8])? {
        var text: [UInt8] = []
        var (depth, isQuoted, isEscaped) = (0, false, false)
        while true {
            guard let byte = try nextByte() else {
                guard depth > 0 else {
                    end()
                    return nil
                }
                goBack(into: text, isCut: true)
                (depth, isQuoted, isEscaped, text) = (0, false, false, [])
                continue
            }
            if depth == 0, byte != UInt8(ascii: "{") {
                if byte == UInt8(ascii: "[") { arrays += 1 }
                if byte == UInt8(ascii: "]") { arrays = max(0, arrays - 1) }
                continue
            }
            text.append(byte)
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
                if depth == 0 { return (offset - text.count, text) }
            }
            if text.count == Self.maximumBytes {
                goBack(into: text, isCut: false)
                (depth, isQuoted, isEscaped, text) = (0, false, false, [])
            }
        }
    }

    /// Gives up what was taken for an object: the next one is looked for behind its beginning.
    private mutating func goBack(into text: [UInt8], isCut: Bool) {
        let start = offset - text.count
        let next = text.dropFirst().firstIndex(of: UInt8(ascii: "{"))
        if isCut, next == nil {
            return report("the JSON ends in a reading: it was cut short; what stands before is read", at: start)
        }
        report("what begins here is no reading, and is left out: a quote or a bracket is missing, or it is too long", at: start)
        guard let next, returns < Self.mostReturns else { return }
        returns += 1
        chunk = Array(text[next...]) + chunk[position...]
        position = 0
        offset = start + next
    }

    private mutating func nextByte() throws(ImportProblem) -> UInt8? {
        if position == chunk.count {
            if !isAtEnd { chunk = try source.next() } else { chunk = [] }
            position = 0
            if chunk.isEmpty {
                isAtEnd = true
                return nil
            }
        }
        defer {
            position += 1
            offset += 1
        }
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
