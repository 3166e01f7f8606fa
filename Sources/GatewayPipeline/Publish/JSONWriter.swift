/// Writes one JSON object in the order of the calls; the same values always give the same bytes.
struct JSONWriter {
    private(set) var bytes: [UInt8] = [UInt8(ascii: "{")]
    private var needsComma = false

    /// The finished object.
    mutating func finish() -> [UInt8] {
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    /// Writes a text, or null.
    mutating func field(_ key: StaticString, _ value: String?) {
        self.key(key)
        if let value { append(quoted: value) } else { appendNull() }
    }

    /// Writes a number in its shortest form, or null; a number that is not finite is null too, for JSON has none.
    mutating func field(_ key: StaticString, _ value: Double?) {
        self.key(key)
        append(value)
    }

    /// Writes a whole number, or null.
    mutating func field(_ key: StaticString, _ value: Int?) {
        self.key(key)
        if let value { append(String(value)) } else { appendNull() }
    }

    /// Writes a truth value.
    mutating func field(_ key: StaticString, _ value: Bool) {
        self.key(key)
        append(value ? "true" : "false")
    }

    /// Writes seconds, to the microsecond.
    mutating func seconds(_ key: StaticString, _ value: Double?) {
        field(key, value.map { ($0 * 1e6).rounded() / 1e6 })
    }

    /// Writes a list of texts.
    mutating func field(_ key: StaticString, _ values: [String]) {
        self.key(key)
        append("[")
        for (index, value) in values.enumerated() {
            if index > 0 { append(",") }
            append(quoted: value)
        }
        append("]")
    }

    /// Writes a list of numbers; those that are not known, or not finite, are null.
    mutating func field(_ key: StaticString, _ values: [Double?]) {
        self.key(key)
        append("[")
        for (index, value) in values.enumerated() {
            if index > 0 { append(",") }
            append(value)
        }
        append("]")
    }

    /// Writes an object.
    mutating func object(_ key: StaticString, _ body: (inout JSONWriter) -> Void) {
        self.key(key)
        var inner = JSONWriter()
        body(&inner)
        bytes += inner.finish()
    }

    /// Writes an object of counts, in order of the names.
    mutating func counts(_ key: StaticString, _ values: [String: Int]) {
        self.key(key)
        append("{")
        for (index, entry) in values.sorted(by: { $0.key < $1.key }).enumerated() {
            if index > 0 { append(",") }
            append(quoted: entry.key)
            append(":\(entry.value)")
        }
        append("}")
    }

    /// Writes an object of texts, in order of the names.
    mutating func texts(_ key: StaticString, _ values: [String: String]) {
        self.key(key)
        append("{")
        for (index, entry) in values.sorted(by: { $0.key < $1.key }).enumerated() {
            if index > 0 { append(",") }
            append(quoted: entry.key)
            append(":")
            append(quoted: entry.value)
        }
        append("}")
    }

    /// Writes null.
    mutating func null(_ key: StaticString) {
        self.key(key)
        appendNull()
    }

    /// Writes an inclusive range as a pair, or null.
    mutating func field(_ key: StaticString, _ range: ClosedRange<UInt64>?) {
        self.key(key)
        if let range { append("[\(range.lowerBound),\(range.upperBound)]") } else { appendNull() }
    }

    private mutating func key(_ key: StaticString) {
        if needsComma { append(",") }
        needsComma = true
        append("\"\(key)\":")
    }

    private mutating func appendNull() { append("null") }

    private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    private mutating func append(_ value: Double?) {
        guard let value, value.isFinite else { return appendNull() }
        if value == value.rounded(), abs(value) < 1e15 {
            append(String(Int64(value)))
        } else {
            append(value.description)
        }
    }

    private mutating func append(quoted text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): append("\\\"")
            case UInt8(ascii: "\\"): append("\\\\")
            case 0x00..<0x20, 0x7F:
                let digits = String(byte, radix: 16)
                append("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
