/// One row of a table.
struct Row {
    /// The line it stands on, from 1.
    var line: Int
    /// Its text.
    var bytes: [UInt8]
    /// Where its cells are in the text, without quotes and the blanks around them; nil when a quote is left open.
    var cells: [Range<Int>]?
    /// Whether a comma may stand for the decimal point: where it does not separate cells.
    var allowsDecimalComma: Bool

    init(line: Int, bytes: [UInt8], separator: UInt8) {
        self.line = line
        self.bytes = bytes
        cells = Self.split(bytes, by: separator)
        allowsDecimalComma = separator != UInt8(ascii: ",")
    }

    /// The text of a cell; empty when there is none.
    func text(_ index: Int) -> String {
        guard let cells, cells.indices.contains(index) else { return "" }
        let cell = bytes[cells[index]]
        // Of two quotes the first is left out, by bytes: with a combining mark behind it, the second is no `Character` of its own.
        var text: [UInt8] = []
        var isDoubled = false
        for byte in cell {
            isDoubled = byte == UInt8(ascii: "\"") && !isDoubled
            if !isDoubled { text.append(byte) }
        }
        if isDoubled { text.append(UInt8(ascii: "\"")) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether a cell is empty or not there.
    func isBlank(_ index: Int) -> Bool {
        guard let cells, cells.indices.contains(index) else { return true }
        return cells[index].isEmpty
    }

    /// Splits at `separator` outside quotes; nil when a quote is left open.
    private static func split(_ bytes: [UInt8], by separator: UInt8) -> [Range<Int>]? {
        var cells: [Range<Int>] = []
        var start = 0
        var isQuoted = false
        for index in 0...bytes.count {
            if index < bytes.count, bytes[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
            guard index == bytes.count || (bytes[index] == separator && !isQuoted) else { continue }
            cells.append(trimmed(start..<index, in: bytes))
            start = index + 1
        }
        return isQuoted ? nil : cells
    }

    private static func trimmed(_ range: Range<Int>, in bytes: [UInt8]) -> Range<Int> {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high, bytes[low] == 0x20 || bytes[low] == 0x09 { low += 1 }
        while low < high, bytes[high - 1] == 0x20 || bytes[high - 1] == 0x09 { high -= 1 }
        if high - low >= 2, bytes[low] == UInt8(ascii: "\""), bytes[high - 1] == UInt8(ascii: "\"") {
            return trimmed(low + 1..<high - 1, in: bytes)
        }
        return low..<high
    }
}
