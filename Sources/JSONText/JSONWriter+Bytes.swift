/// Keys, texts and numbers as bytes.
extension JSONWriter {
    mutating func begin(_ key: StaticString?) {
        guard let key else { return separate() }
        let isFirst = isFirst
        key.withUTF8Buffer { key in
            bytes.append(addingCapacity: key.count + 4) { output in
                if !isFirst { output.append(UInt8(ascii: ",")) }
                output.append(UInt8(ascii: "\""))
                output.append(key)
                output.append(UInt8(ascii: "\""))
                output.append(UInt8(ascii: ":"))
            }
        }
    }

    mutating func begin(name: String) {
        separate()
        append(quoted: name)
        write(UInt8(ascii: ":"))
    }

    /// Writes a comma unless this is the first value of its object or array.
    private mutating func separate() { if !isFirst { write(UInt8(ascii: ",")) } }

    /// Whether the next value is the first of its object or array, or follows a key.
    private var isFirst: Bool {
        switch bytes.last {
        case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"): true
        default: false
        }
    }

    mutating func append(quoted text: String) {
        var text = text
        text.withUTF8 { text in
            // Every byte is read, whatever was found before it: such a loop takes many at once.
            let escaped = text.reduce(UInt8(0)) { $0 | (Self.isEscaped($1) ? 1 : 0) }
            guard escaped == 0 else { return append(escaping: text) }
            bytes.append(addingCapacity: text.count + 2) { output in
                output.append(UInt8(ascii: "\""))
                output.append(text)
                output.append(UInt8(ascii: "\""))
            }
        }
    }

    private mutating func append(escaping text: UnsafeBufferPointer<UInt8>) {
        write(UInt8(ascii: "\""))
        for byte in text { append(character: byte) }
        write(UInt8(ascii: "\""))
    }

    @inline(__always)
    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x7F
    }

    private mutating func append(character byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            write(UInt8(ascii: "\\"))
            write(byte)
        case _ where Self.isEscaped(byte): append(escaped: UInt16(byte))
        default: write(byte)
        }
    }

    mutating func append(quotedASCII text: String) {
        write(UInt8(ascii: "\""))
        for unit in text.utf16 {
            switch unit {
            case 0x22, 0x5C:
                write(UInt8(ascii: "\\"))
                write(UInt8(unit))
            case 0x20..<0x7F: write(UInt8(unit))
            default: append(escaped: unit)
            }
        }
        write(UInt8(ascii: "\""))
    }

    private mutating func append(escaped unit: UInt16) {
        let digits = String(unit, radix: 16)
        write(("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8)
    }

    mutating func append(_ value: Double?) {
        guard let value, value.isFinite else { return write("null".utf8) }
        if value == value.rounded(), abs(value) < 1e15 {
            append(Int(value))
        } else {
            // As one buffer: the bytes of a string are appended one by one.
            var text = value.description
            text.withUTF8 { write($0) }
        }
    }

    mutating func append(_ value: Int) { append(scaled: Int64(value), decimals: 0) }

    /// Writes a number rounded to so many decimals (0 to 9); one that is too large for that in its shortest form.
    mutating func append(_ value: Double, decimals: Int) {
        guard let scaled = Int64(exactly: (value * Self.powersOfTen[decimals]).rounded()) else { return append(value) }
        append(scaled: scaled, decimals: decimals)
    }

    /// Writes `scaled` / 10^`decimals`, without zeros at the end.
    mutating func append(scaled: Int64, decimals: Int) {
        if scaled < 0 { write(UInt8(ascii: "-")) }
        append(scaled: scaled.magnitude, decimals: decimals)
    }

    /// Writes `scaled` / 10^`decimals`, without zeros at the end.
    mutating func append(scaled: UInt64, decimals: Int) {
        var rest = scaled
        var place = decimals
        while place > 0, rest.isMultiple(of: 10) { (rest, place) = (rest / 10, place - 1) }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.longestNumber) { digits in
            var start = digits.count
            repeat {
                if place == 0, start < digits.count {
                    start -= 1
                    digits[start] = UInt8(ascii: ".")
                }
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(rest % 10)
                (rest, place) = (rest / 10, place - 1)
            } while rest > 0 || place >= 0
            write(digits[start...])
        }
    }

    private static let powersOfTen = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]
    /// 20 digits of a number and its point, or nine decimals with a zero before them.
    private static let longestNumber = 24

    private mutating func write(_ byte: UInt8) { bytes.append(byte) }

    @inline(__always)
    private mutating func write(_ text: some Sequence<UInt8>) { bytes.append(contentsOf: text) }
}

extension OutputSpan<UInt8> {
    /// Appends bytes, for which there must be room.
    fileprivate mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        withUnsafeMutableBufferPointer { buffer, count in
            guard let from = bytes.baseAddress, let start = buffer.baseAddress else { return }
            (start + count).update(from: from, count: bytes.count)
            count += bytes.count
        }
    }
}
