/// Compact JSON written straight into bytes: fixed-point numbers, no spaces.
///
/// Keys are literals of this module, so they are written as they stand.
struct JSONWriter: Sendable {
    private(set) var bytes: [UInt8] = []

    mutating func object(for key: StaticString? = nil, _ body: (inout JSONWriter) -> Void) {
        begin(key)
        bytes.append(UInt8(ascii: "{"))
        body(&self)
        bytes.append(UInt8(ascii: "}"))
    }

    mutating func array(for key: StaticString? = nil, _ body: (inout JSONWriter) -> Void) {
        begin(key)
        bytes.append(UInt8(ascii: "["))
        body(&self)
        bytes.append(UInt8(ascii: "]"))
    }

    /// An array of numbers, one for each element.
    mutating func column<C: Collection>(
        _ key: StaticString, _ elements: C, digits: Int, _ value: (C.Element) -> Double
    ) {
        array(for: key) {
            for element in elements { $0.number(value(element), digits: digits) }
        }
    }

    /// A finite number with at most `digits` decimals (0 through 6), of magnitude under 9e12.
    mutating func number(_ value: Double, digits: Int, for key: StaticString? = nil) {
        begin(key)
        let scale = Self.powersOfTen[digits]
        let scaled = Int64((value * Double(scale)).rounded())
        if scaled < 0 { bytes.append(UInt8(ascii: "-")) }
        let (whole, fraction) = scaled.magnitude.quotientAndRemainder(dividingBy: scale)
        appendDecimal(whole)
        guard fraction > 0 else { return }
        bytes.append(UInt8(ascii: "."))
        var rest = fraction
        var place = scale
        while rest > 0 {
            place /= 10
            bytes.append(UInt8(ascii: "0") + UInt8(rest / place))
            rest %= place
        }
    }

    mutating func integer(_ value: Int, for key: StaticString? = nil) {
        begin(key)
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        appendDecimal(UInt64(value.magnitude))
    }

    mutating func bool(_ value: Bool, for key: StaticString? = nil) {
        begin(key)
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    mutating func string(_ value: String, for key: StaticString? = nil) {
        begin(key)
        bytes.append(UInt8(ascii: "\""))
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                bytes.append(contentsOf: ("\\u00" + (byte < 0x10 ? "0" : "") + digits).utf8)
            default:
                bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Bytes that are JSON already.
    mutating func raw(_ json: [UInt8], for key: StaticString) {
        begin(key)
        bytes.append(contentsOf: json)
    }

    private mutating func begin(_ key: StaticString?) {
        switch bytes.last {
        case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"): break
        default: bytes.append(UInt8(ascii: ","))
        }
        guard let key else { return }
        bytes.append(UInt8(ascii: "\""))
        key.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func appendDecimal(_ value: UInt64) {
        let start = bytes.count
        var rest = value
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }

    private static let powersOfTen: [UInt64] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000]
}
