/// Compact JSON written straight into bytes.
///
/// Keys are literals of this module, so they are written as they stand.
struct JSONText {
    private(set) var bytes: [UInt8] = []

    mutating func object(_ key: StaticString? = nil, _ body: (inout JSONText) -> Void) {
        begin(key)
        bytes.append(UInt8(ascii: "{"))
        body(&self)
        bytes.append(UInt8(ascii: "}"))
    }

    mutating func array(_ key: StaticString? = nil, _ body: (inout JSONText) -> Void) {
        begin(key)
        bytes.append(UInt8(ascii: "["))
        body(&self)
        bytes.append(UInt8(ascii: "]"))
    }

    /// An array of numbers, one for each element; 9 decimals are beyond what any sensor resolves.
    mutating func column<Element>(_ key: StaticString, _ elements: [Element], _ value: (Element) -> Double) {
        array(key) { for element in elements { $0.fixed(Int64((value(element) * 1e9).rounded()), decimals: 9) } }
    }

    /// Microseconds as seconds.
    mutating func seconds(_ micros: Int64, _ key: StaticString? = nil) { fixed(micros, decimals: 6, key) }

    /// A value and its unit; nothing where there is none.
    mutating func quantity(_ measured: WaterReading.Measured?, _ key: StaticString) {
        guard let measured else { return }
        object(key) {
            $0.begin("value")
            // The shortest text that reads back as the same number.
            $0.bytes.append(contentsOf: "\(measured.value + 0)".utf8)
            $0.string(measured.unit, "unit")
        }
    }

    mutating func integer(_ value: Int, _ key: StaticString? = nil) { fixed(Int64(value), decimals: 0, key) }

    mutating func bool(_ value: Bool, _ key: StaticString) {
        begin(key)
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// A text of identifiers and names, in which nothing needs escaping.
    mutating func string(_ value: String, _ key: StaticString? = nil) {
        begin(key)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: value.utf8)
        bytes.append(UInt8(ascii: "\""))
    }

    /// `scaled` / 10^`decimals`, without zeros at the end.
    private mutating func fixed(_ scaled: Int64, decimals: Int, _ key: StaticString? = nil) {
        begin(key)
        if scaled < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = scaled.magnitude
        var place = decimals
        while place > 0, rest.isMultiple(of: 10) { (rest, place) = (rest / 10, place - 1) }
        let start = bytes.count
        repeat {
            if place == 0, bytes.count > start { bytes.append(UInt8(ascii: ".")) }
            bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
            (rest, place) = (rest / 10, place - 1)
        } while rest > 0 || place >= 0
        bytes[start...].reverse()
    }

    private mutating func begin(_ key: StaticString?) {
        switch bytes.last {
        case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"): break
        default: bytes.append(UInt8(ascii: ","))
        }
        guard let key else { return }
        bytes.append(UInt8(ascii: "\""))
        key.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: "\":".utf8)
    }
}
