/// Strings, numbers and words.
extension JSONScanner {
    /// Reads a string.
    mutating func string() throws(JSONFault) {
        let start = index
        index += 1
        while let byte = peek {
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return
            case UInt8(ascii: "\\"): try escape()
            case 0..<0x20:
                index -= 1
                throw fault("a string holds a bare control character")
            default: break
            }
        }
        index = start
        throw fault("a string is not closed")
    }

    private mutating func escape() throws(JSONFault) {
        let start = index - 1
        let escaped = peek
        index += 1
        switch escaped {
        case UInt8(ascii: "u"):
            let unit = hexadecimal()
            if let unit, !(0xD800...0xDFFF).contains(unit) { return }
            if let unit, unit < 0xDC00, bytes[index...].starts(with: Array("\\u".utf8)) {
                index += 2
                if let low = hexadecimal(), (0xDC00...0xDFFF).contains(low) { return }
            }
        case .some(let byte) where "\"\\/bfnrt".utf8.contains(byte): return
        default: break
        }
        index = start
        throw fault("a string holds a bad escape")
    }

    private mutating func hexadecimal() -> UInt16? {
        let digits = bytes[min(index, bytes.count)...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ isDigit($0) || isLetter($0) }) else { return nil }
        index += 4
        return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    /// Reads a number.
    mutating func number() throws(JSONFault) {
        let start = index
        let word = bytes[start...].prefix { isDigit($0) || isLetter($0) || "+-.".utf8.contains($0) }
        let text = String(decoding: word, as: UTF8.self)
        let (isNumber, isInteger) = Self.grammar(of: text)
        guard isNumber else { throw fault("a number is not valid JSON") }
        let isTooLarge = isInteger ? Int64(text) == nil && UInt64(text) == nil : Double(text)?.isFinite != true
        guard !isTooLarge else { throw fault("a number is too large") }
        index = word.endIndex
    }

    private static func grammar(of text: String) -> (isNumber: Bool, isInteger: Bool) {
        var rest = text[...].utf8
        func digits() -> Int {
            let count = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
            rest = rest.dropFirst(count)
            return count
        }
        if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
        let startsWithZero = rest.first == UInt8(ascii: "0")
        let whole = digits()
        guard whole > 0, !startsWithZero || whole == 1 else { return (false, false) }
        var isInteger = true
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            guard digits() > 0 else { return (false, false) }
            isInteger = false
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
            guard digits() > 0 else { return (false, false) }
            isInteger = false
        }
        return (rest.isEmpty, isInteger)
    }

    /// Reads true, false or null.
    mutating func literal() throws(JSONFault) {
        let word = bytes[index...].prefix { isLetter($0) || isDigit($0) }
        guard ["true", "false", "null"].contains(String(decoding: word, as: UTF8.self)) else {
            throw fault("\(String(decoding: word, as: UTF8.self).quoted) is no value of JSON")
        }
        index = word.endIndex
    }
}
