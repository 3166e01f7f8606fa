/// Writes JSON in the order of the calls, without spaces; the same values always give the same bytes.
///
/// Keys are literals, so they are written as they stand. Commas are put where a value follows another one.
package struct JSONWriter: Sendable {
    /// What was written.
    package internal(set) var bytes: [UInt8] = []

    /// Nothing written.
    package init() {}

    /// The bytes of one object.
    package static func object(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter()
        json.bytes.reserveCapacity(usualSize)
        json.object(nil, body)
        return json.bytes
    }

    /// The size of most messages, in bytes.
    private static var usualSize: Int { 512 }

    // MARK: Values that hold others

    /// Writes an object, as a member where it has a key.
    package mutating func object(_ key: StaticString? = nil, _ body: (inout JSONWriter) -> Void) {
        begin(key)
        bytes.append(UInt8(ascii: "{"))
        body(&self)
        bytes.append(UInt8(ascii: "}"))
    }

    /// Writes an array, as a member where it has a key.
    package mutating func array(_ key: StaticString? = nil, _ body: (inout JSONWriter) -> Void) {
        begin(key)
        bytes.append(UInt8(ascii: "["))
        body(&self)
        bytes.append(UInt8(ascii: "]"))
    }

    /// Writes an object as a member whose key is no literal.
    package mutating func object(named name: String, _ body: (inout JSONWriter) -> Void) {
        begin(name: name)
        object(nil, body)
    }

    /// Writes an array as a member whose key is no literal.
    package mutating func array(named name: String, _ body: (inout JSONWriter) -> Void) {
        begin(name: name)
        array(nil, body)
    }

    /// Writes a list of texts.
    package mutating func field(_ key: StaticString, _ values: [String]) {
        array(key) { json in
            for value in values { json.element(value) }
        }
    }

    /// Writes a list of numbers; those that are not known, or not finite, are null.
    package mutating func field(_ key: StaticString, _ values: [Double?]) {
        array(key) { json in
            for value in values { json.element(value) }
        }
    }

    /// Writes an array of numbers with at most so many decimals, one for each element.
    package mutating func column<Elements: Collection>(
        _ key: StaticString, _ elements: Elements, decimals: Int, _ value: (Elements.Element) -> Double
    ) {
        column(key, elements.map(value), decimals: decimals)
    }

    /// Writes an array of numbers with at most so many decimals.
    package mutating func column(_ key: StaticString, _ values: [Double], decimals: Int) {
        array(key) { json in
            for value in values {
                json.begin(nil)
                json.append(value, decimals: decimals)
            }
        }
    }

    /// Writes an object of counts, in order of the names.
    package mutating func counts(_ key: StaticString, _ values: [String: Int]) {
        object(key) { json in
            for (name, count) in values.sorted(by: { $0.key < $1.key }) {
                json.begin(name: name)
                json.append(count)
            }
        }
    }

    /// Writes an object of texts, in order of the names.
    package mutating func texts(_ key: StaticString, _ values: [String: String]) {
        object(key) { json in
            for (name, text) in values.sorted(by: { $0.key < $1.key }) {
                json.begin(name: name)
                json.append(quoted: text)
            }
        }
    }

    /// Writes an object of truth values, in the order given.
    package mutating func flags(_ key: StaticString, _ values: [(name: String, value: Bool)]) {
        object(key) { json in
            for (name, value) in values {
                json.begin(name: name)
                json.bytes += (value ? "true" : "false").utf8
            }
        }
    }

    /// Writes an inclusive range as a pair, or null.
    package mutating func field(_ key: StaticString, _ range: ClosedRange<UInt64>?) {
        guard let range else { return null(key) }
        begin(key)
        append(range)
    }

    /// Writes inclusive ranges as a list of pairs.
    package mutating func field(_ key: StaticString, _ ranges: [ClosedRange<UInt64>]) {
        begin(key)
        bytes.append(UInt8(ascii: "["))
        for (index, range) in ranges.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            append(range)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func append(_ range: ClosedRange<UInt64>) {
        bytes.append(UInt8(ascii: "["))
        append(scaled: range.lowerBound, decimals: 0)
        bytes.append(UInt8(ascii: ","))
        append(scaled: range.upperBound, decimals: 0)
        bytes.append(UInt8(ascii: "]"))
    }

    // MARK: Members

    /// Writes a text, or null.
    package mutating func field(_ key: StaticString, _ value: String?) {
        guard let value else { return null(key) }
        begin(key)
        append(quoted: value)
    }

    /// Writes a text with every character outside ASCII escaped, as a terminal could act on some of them.
    package mutating func field(_ key: StaticString, ascii value: String) {
        begin(key)
        append(quotedASCII: value)
    }

    /// Writes a number in its shortest form, or null; a number that is not finite is null too, for JSON has none.
    package mutating func field(_ key: StaticString, _ value: Double?) {
        begin(key)
        append(value)
    }

    /// Writes a number with at most so many decimals.
    package mutating func field(_ key: StaticString, _ value: Double, decimals: Int) {
        begin(key)
        append(value, decimals: decimals)
    }

    /// Writes a whole number, or null.
    package mutating func field(_ key: StaticString, _ value: Int?) {
        guard let value else { return null(key) }
        begin(key)
        append(value)
    }

    /// Writes a truth value.
    package mutating func field(_ key: StaticString, _ value: Bool) {
        begin(key)
        bytes += (value ? "true" : "false").utf8
    }

    /// Writes seconds, to the microsecond, or null; as a member where it has a key.
    package mutating func seconds(_ key: StaticString?, _ value: Double?) {
        begin(key)
        guard let value else { return append(nil) }
        let microseconds = (value * 1e6).rounded()
        // Up to 2^53 the decimals of whole microseconds are the shortest form of the seconds.
        if microseconds.magnitude < 0x1p53 {
            append(scaled: Int64(microseconds), decimals: 6)
        } else {
            append(microseconds / 1e6)
        }
    }

    /// Writes `scaled` / 10^`decimals`, as a member where it has a key.
    package mutating func fixed(_ key: StaticString?, _ scaled: Int64, decimals: Int) {
        begin(key)
        append(scaled: scaled, decimals: decimals)
    }

    /// Writes null.
    package mutating func null(_ key: StaticString) {
        begin(key)
        bytes += "null".utf8
    }

    /// Writes bytes that are JSON already.
    package mutating func raw(_ key: StaticString, _ json: [UInt8]) {
        begin(key)
        bytes += json
    }

    /// Writes bytes that are JSON already as a member whose key is no literal.
    package mutating func raw(named name: String, _ json: [UInt8]) {
        begin(name: name)
        bytes += json
    }

    // MARK: Elements

    /// Writes a text of an array.
    package mutating func element(_ value: String) {
        begin(nil)
        append(quoted: value)
    }

    /// Writes a text of an array with every character outside ASCII escaped, as a terminal could act on some of them.
    package mutating func element(ascii value: String) {
        begin(nil)
        append(quotedASCII: value)
    }

    /// Writes bytes that are JSON already as an element of an array.
    package mutating func element(raw json: [UInt8]) {
        begin(nil)
        bytes += json
    }

    /// Writes a number of an array in its shortest form; null where there is none, or it is not finite.
    package mutating func element(_ value: Double?) {
        begin(nil)
        append(value)
    }
}
