/// The readings of a table's rows, in the file's order.
protocol PlacedReadings: AnyObject {
    /// The next reading; nil at the end.
    func next() throws(ImportProblem) -> PlacedReading?

    /// The result of the rows so far.
    var report: FileReport { get }

    /// Reports a row that is dropped.
    func drop(_ fault: RowFault, line: Int)
}

/// Reads the rows of a table; a faulty row is reported and dropped.
final class RowReadings<Reader: RowReader>: PlacedReadings {
    private(set) var report: FileReport
    private(set) var reader: Reader
    private let table: Table
    private let onFault: (ImportProblem) -> Void
    private var absurd = AbsurdTimes()
    private var isAtEnd = false
    private var greatest = Int64.min
    /// A row with too few cells: normal if it is the last.
    private var short: RowFault?
    private var shortLine = 0

    init(table: Table, reader: Reader, report: FileReport, onFault: @escaping (ImportProblem) -> Void) {
        self.table = table
        self.reader = reader
        self.report = report
        self.onFault = onFault
    }

    func next() throws(ImportProblem) -> PlacedReading? {
        while true {
            while let (reading, fault) = absurd.next(isAtEnd: isAtEnd) {
                guard let fault else {
                    if reading.timed.micros < greatest { report.outOfOrder += 1 }
                    greatest = max(greatest, reading.timed.micros)
                    return reading
                }
                drop(fault, line: reading.line)
            }
            guard !isAtEnd else { return nil }
            if let reading = try read() { absurd.add(reading) } else { isAtEnd = true }
        }
    }

    func drop(_ fault: RowFault, line: Int) {
        report.dropped[fault.kind, default: 0] += 1
        onFault(ImportProblem(fault.detail, file: report.file, line: line, column: fault.column))
    }

    private func read() throws(ImportProblem) -> PlacedReading? {
        while let row = try table.next() {
            report.rows += 1
            if let short { drop(short, line: shortLine) }
            short = nil
            do throws(RowFault) {
                guard let timed = try reading(of: row) else { continue }
                return PlacedReading(timed: timed, line: row.line, place: report.rows)
            } catch {
                if row.isShort { (short, shortLine) = (error, row.line) } else { drop(error, line: row.line) }
            }
        }
        if short != nil { report.isCutShort = true }
        short = nil
        return nil
    }

    private func reading(of row: Row) throws(RowFault) -> TimedReading? {
        do throws(RowFault) { try Self.checkForm(row) } catch {
            reader.skip()
            throw error
        }
        let timed = try reader.reading(of: row)
        for fault in reader.takeCellFaults() {
            report.cells[fault.kind, default: 0] += 1
            onFault(ImportProblem(fault.detail, file: report.file, line: row.line, column: fault.column))
        }
        if timed == nil { report.blank += 1 }
        return timed
    }

    private static func checkForm(_ row: Row) throws(RowFault) {
        guard row.bytes.count < LineScanner.maximumBytes else {
            throw RowFault("too long", detail: "the line is longer than \(LineScanner.maximumBytes) bytes")
        }
        guard row.cells != nil else { throw RowFault("with an open quote", detail: "a quote is left open") }
        guard !row.isLong else { throw row.tooLong }
    }
}

/// What a first reading of all rows of a table shows.
struct TableSurvey<Reader: RowReader> {
    /// The reader after the last row.
    let reader: Reader
    /// The earliest time, in microseconds of the reader's clock; nil where no row can be read.
    private(set) var first: Int64?
    /// The latest time; nil where no row can be read.
    private(set) var last: Int64?
    /// How the rows are ordered.
    let order: RowOrder
    /// What is wrong with the first row that cannot be read.
    let fault: ImportProblem?

    /// Reads all rows; `look` is called with each reading in the file's order.
    init(_ table: Table, _ reader: Reader, look: (PlacedReading) -> Void = { _ in }) throws(ImportProblem) {
        var fault: ImportProblem?
        let rows = RowReadings(
            table: table, reader: reader, report: FileReport(file: table.file, device: "", stream: .submersion),
            onFault: { fault = fault ?? $0 })
        var order = RowOrderSurvey()
        while let placed = try rows.next() {
            order.add(placed.timed.micros)
            first = min(first ?? .max, placed.timed.micros)
            last = max(last ?? .min, placed.timed.micros)
            look(placed)
        }
        (self.reader, self.order, self.fault) = (rows.reader, order.order, fault)
    }
}
