/// A file of delimited text: comments and blank lines, a header, rows.
final class Table {
    /// The file, for messages.
    let file: String

    private var lines: LineScanner
    private var separator = UInt8(ascii: ",")
    private var isInComment = false
    private var lastCount = 0

    /// The number of columns in the header; nil before it was read. A log with another header sets that of the rows behind it.
    var columnCount: Int?

    /// The table in what `chunks` gives.
    init(file: String, chunks: @escaping () throws(ImportProblem) -> [UInt8]) {
        self.file = file
        lines = LineScanner(chunks: chunks)
    }

    /// The table in the first bytes of a file.
    static func beginning(_ bytes: [UInt8]) -> Table {
        var rest = bytes
        return Table(file: "") { () throws(ImportProblem) in exchange(&rest, with: []) }
    }

    /// Reads up to the first line that `bind` accepts as the header, among the first `limit` rows.
    ///
    /// Throws when the file is empty or no text, or what `bind` threw for the line with the most columns.
    func readHeader<Bound>(
        within limit: Int = 1, _ bind: (Header) throws(ImportProblem) -> Bound
    ) throws(ImportProblem) -> Bound {
        var best: (columns: Int, problem: ImportProblem)?
        for _ in 0..<limit {
            guard let (line, bytes) = try nextLine() else { break }
            if best == nil { try checkEncoding(bytes) }
            separator = Self.separator(of: bytes)
            let header = Header(Row(line: line, bytes: bytes, separator: separator), file: file)
            do throws(ImportProblem) {
                let bound = try bind(header)
                columnCount = header.columns.count
                return bound
            } catch {
                if header.columns.count > best?.columns ?? 0 { best = (header.columns.count, error) }
            }
        }
        throw best?.problem ?? ImportProblem("holds no header and no row", file: file)
    }

    /// The next row; nil at the end.
    func next() throws(ImportProblem) -> Row? {
        guard let (line, bytes) = try nextLine() else { return nil }
        var row = Row(line: line, bytes: bytes, separator: separator)
        row.columnCount = columnCount ?? 0
        // Where every row lacks its last cells, the last one is none that was cut.
        if lines.isUnterminated, row.isShort, row.cellCount < lastCount { row.removeLastCell() }
        lastCount = row.cellCount
        return row
    }

    /// The next line that is neither blank nor a comment: `#`, `//`, or from `/*` to `*/`.
    /// Under a header separators alone are a row.
    private func nextLine() throws(ImportProblem) -> (Int, [UInt8])? {
        let cell = columnCount.map { _ in separator }
        while true {
            try lines.skipBlankLines(but: cell)
            guard var bytes = try lines.next() else { return nil }
            if lines.number == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
            guard let first = bytes.firstIndex(where: { $0 > 0x20 }) ?? bytes.firstIndex(where: { $0 == cell }) else { continue }
            let text = bytes[first...]
            if isInComment || text.starts(with: Array("/*".utf8)) {
                isInComment = !Self.endsComment(text)
            } else if !text.starts(with: Array("#".utf8)), !text.starts(with: Array("//".utf8)) {
                return (lines.number, bytes)
            }
        }
    }

    private static func endsComment(_ text: ArraySlice<UInt8>) -> Bool {
        // Seabear's programs close it with a backslash.
        zip(text, text.dropFirst()).contains { $0 == UInt8(ascii: "*") && [UInt8(ascii: "/"), UInt8(ascii: "\\")].contains($1) }
    }

    private static func separator(of bytes: [UInt8]) -> UInt8 {
        let counts = [UInt8(ascii: "|"), UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: ",")].map { separator in
            (separator, Row(line: 0, bytes: bytes, separator: separator).cells?.count ?? 0)
        }
        return counts.max { $0.1 < $1.1 }?.0 ?? UInt8(ascii: ",")
    }

    private func checkEncoding(_ bytes: [UInt8]) throws(ImportProblem) {
        if let content = ForeignContent(bytes) { throw ImportProblem(content.reason, file: file) }
    }
}
