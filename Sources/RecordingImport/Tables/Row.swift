import TelemetryModel

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
    /// The number of columns of the header; 0 before it was read.
    var columnCount = 0

    init(line: Int, bytes: [UInt8], separator: UInt8) {
        self.line = line
        self.bytes = bytes
        cells = Self.split(bytes, by: separator)
        allowsDecimalComma = separator != UInt8(ascii: ",")
    }

    /// The number of its cells.
    var cellCount: Int { cells?.count ?? 0 }

    /// Whether it has fewer cells than the header.
    var isShort: Bool { cellCount < columnCount }

    /// Whether commas separate its cells and it has more than the header: where decimals have commas too, a depth would lose what is behind it, or
    /// be another column's.
    var isLong: Bool {
        guard !allowsDecimalComma, columnCount > 0, cellCount > columnCount else { return false }
        return !(columnCount..<cellCount).allSatisfy(isBlank)
    }

    /// Leaves out the last cell: of a row that ends with the file it may be a part.
    mutating func removeLastCell() { cells?.removeLast() }

    /// The text of a cell; empty when there is none. Bytes that are not UTF-8 are read as Latin-1.
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
        if let text = String(validating: text, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(text.map { Unicode.Scalar($0) }))
    }

    /// Whether a cell is empty, not there, or holds a word for no value.
    func isBlank(_ index: Int) -> Bool {
        guard let cells, cells.indices.contains(index) else { return true }
        let cell = bytes[cells[index]]
        guard let last = cell.last else { return true }
        // A number ends with a digit, and no such word does.
        guard cell.count <= Self.longestWord, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(last) else { return false }
        return Self.words.contains(text(index).lowercased())
    }

    /// Words for no value: those of live messages, and those of programs that write tables.
    private static let words = NoValueWords.all.union(["nan", "-nan", "+nan", "n.a.", "#n/a"])
    private static let longestWord = words.map(\.utf8.count).max() ?? 0

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
