/// Numbers as other programs write them: as JSON numbers, or as texts.
enum MappedNumber {
    private static let longest = 64

    /// Reads the text of a number, spaces around it allowed; throws `wrongType` or `notFinite`.
    static func read(_ text: String, at pointer: @autoclosure () -> String) throws(Rejection) -> Double {
        let trimmed = text.utf8.count > longest ? text[...] : text.trimmingSpaces
        guard !NonFiniteNumber.isNamed(String(trimmed)) else {
            throw Rejection(.notFinite, at: pointer(), "expected a finite number, found \(text.quoted)")
        }
        guard trimmed.utf8.count <= longest, trimmed.utf8.allSatisfy(isPart), let number = Double(trimmed) else {
            throw Rejection(.wrongType, at: pointer(), "expected a number, found \(text.quoted)")
        }
        guard number.isFinite else {
            throw Rejection(.notFinite, at: pointer(), "the number \(text.quoted) is too large")
        }
        return number
    }

    private static func isPart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "e"),
            UInt8(ascii: "E"):
            true
        default: false
        }
    }
}

extension JSONNode {
    /// The number, or the one that a text holds; nil for null, which many programs write for NaN, and for words and blanks in its place.
    func mappedNumber() throws(Rejection) -> Double? {
        switch kind {
        case .null: return nil
        case .string:
            let text = uncheckedString
            return NoValue.isNamed(text) ? nil : try MappedNumber.read(text, at: pointer)
        default: return try number()
        }
    }

    /// The numbers of an array, at most `maximum`; a value that is no array is a column of one.
    func mappedNumbers(maximum: Int) throws(Rejection) -> [Double?] {
        guard kind == .array else { return [try mappedNumber()] }
        let count = uncheckedCount
        guard (1...max(1, maximum)).contains(count) else {
            throw rejection(.columnLength, "\(count) values, expected 1 to \(maximum)")
        }
        let numbers = uncheckedNumbers(count)
        if numbers.count == count { return numbers }
        return try map { element throws(Rejection) in try element.mappedNumber() }
    }
}
