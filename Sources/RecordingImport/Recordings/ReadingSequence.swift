/// The readings of a table's rows in order of time; a faulty row is reported and dropped.
final class ReadingSequence: Readings {
    /// A time that jumps further ahead is rejected, as every row after it would be late.
    private static let longestLeap: Int64 = 30 * 86_400_000_000

    /// The result of the rows so far, with what was dropped of the files beside.
    var report: FileReport {
        reader.companions.reduce(into: own) { $0.dropped.merge($1.dropped, uniquingKeysWith: +) }
    }

    private var own: FileReport
    private let table: Table
    private var reader: any RowReader
    private let onFault: (ImportProblem) -> Void
    private var last: Int64?
    /// A row with too few cells: normal if it is the last.
    private var short: RowFault?
    private var shortLine = 0
    private var cellCount: Int?

    init(table: Table, reader: any RowReader, report: FileReport, onFault: @escaping (ImportProblem) -> Void) {
        self.table = table
        self.reader = reader
        own = report
        self.onFault = onFault
        cellCount = table.columnCount
    }

    /// The next reading; nil at the end.
    func next() throws(ImportProblem) -> TimedReading? {
        while let row = try table.next() {
            own.rows += 1
            if let short { drop(short, line: shortLine) }
            short = nil
            do throws(RowFault) {
                if let reading = try accept(row) { return reading }
            } catch {
                if isShort(row) { (short, shortLine) = (error, row.line) } else { drop(error, line: row.line) }
            }
        }
        if short != nil { own.isCutShort = true }
        short = nil
        return nil
    }

    private func isShort(_ row: Row) -> Bool {
        guard let cellCount else { return false }
        return row.cells?.count ?? 0 < cellCount
    }

    private func accept(_ row: Row) throws(RowFault) -> TimedReading? {
        do throws(RowFault) { try checkForm(row) } catch {
            reader.skip()
            throw error
        }
        guard let reading = try reader.reading(of: row) else {
            own.blank += 1
            return nil
        }
        if reading.micros == last, !reading.reading.mayShareInstant {
            own.repeated += 1
            return nil
        }
        try checkOrder(reading.micros)
        last = reading.micros
        return reading
    }

    private func checkForm(_ row: Row) throws(RowFault) {
        guard row.bytes.count < LineScanner.maximumBytes else {
            throw RowFault("too long", detail: "the line is longer than \(LineScanner.maximumBytes) bytes")
        }
        guard row.cells != nil else { throw RowFault("with an open quote", detail: "a quote is left open") }
        if isShort(row), own.stream != .submersion {
            throw RowFault(
                "with too few cells", detail: "\(row.cells?.count ?? 0) cells under a header of \(cellCount ?? 0) columns")
        }
    }

    private func checkOrder(_ micros: Int64) throws(RowFault) {
        guard let last else { return }
        let seconds = Double(micros - last) / 1e6
        guard micros >= last else {
            throw RowFault("back in time", detail: "the time is \(-seconds) s before the row before")
        }
        guard micros - last < Self.longestLeap else {
            throw RowFault("far ahead in time", detail: "the time is \(Int(seconds / 86_400)) days after the row before")
        }
    }

    private func drop(_ fault: RowFault, line: Int) {
        own.dropped[fault.kind, default: 0] += 1
        onFault(ImportProblem(fault.detail, file: own.file, line: line, column: fault.column))
    }
}
