import HeapModule

/// The readings of a table's rows in order of time.
final class ReadingSequence: Readings {
    /// Opens the table, and its reader.
    typealias Open = () throws(ImportProblem) -> (Table, any RowReader)

    /// How many readings of a shuffled table are sorted at a time; each part reads the whole table again.
    private static let part = 1 << 16

    private let order: RowOrder
    private let open: Open
    private let onFault: (ImportProblem) -> Void
    private let begun: FileReport
    private var rows: (any PlacedReadings)?
    private var repeated = 0
    private var last: Int64?
    private var reading: Reading?
    /// What is held back.
    private var heap = Heap<PlacedReading>()
    /// The readings of a shuffled table up to here have been sorted.
    private var sorted: PlacedReading?
    private var isLastPart = false

    /// The rows of the table that `open` opens, in an order that was found before.
    init(order: RowOrder, report: FileReport, onFault: @escaping (ImportProblem) -> Void, open: @escaping Open) {
        (self.order, self.open, self.onFault, begun) = (order, open, onFault, report)
    }

    /// The result of the rows so far.
    var report: FileReport {
        var report = rows?.report ?? begun
        report.repeated = repeated
        return report
    }

    /// The next reading; nil at the end.
    func next() throws(ImportProblem) -> TimedReading? {
        let rows = if let rows { rows } else { try Self.opened(open, begun, onFault) }
        self.rows = rows
        while let placed = try next(of: rows) {
            let micros = placed.timed.micros
            if micros == last, !placed.timed.reading.mayShareInstant || placed.timed.reading.repeats(reading) {
                repeated += 1
            } else if let fault = fault(of: micros) {
                rows.drop(fault, line: placed.line)
            } else {
                (last, reading) = (micros, placed.timed.reading)
                return placed.timed
            }
        }
        return nil
    }

    private func next(of rows: any PlacedReadings) throws(ImportProblem) -> PlacedReading? {
        switch order {
        case .inOrder: return try rows.next()
        case .nearly:
            while heap.count < RowOrder.window, let placed = try rows.next() { heap.insert(placed) }
        case .shuffled:
            if heap.isEmpty, !isLastPart { try sort(rows) }
        }
        return heap.popMin()
    }

    /// Takes the earliest readings after those that have been sorted.
    private func sort(_ first: any PlacedReadings) throws(ImportProblem) {
        let rows = sorted == nil ? first : try Self.opened(open, begun) { _ in }
        isLastPart = true
        let before = sorted
        while let placed = try rows.next() {
            if let before, placed <= before { continue }
            heap.insert(placed)
            if heap.count > Self.part {
                heap.removeMax()
                isLastPart = false
            }
        }
        sorted = heap.max
    }

    private func fault(of micros: Int64) -> RowFault? {
        guard let last, micros < last else { return nil }
        return RowFault("back in time", detail: "the time is \(Double(last - micros) / 1e6) s before the row before")
    }

    private static func opened(
        _ open: Open, _ report: FileReport, _ onFault: @escaping (ImportProblem) -> Void
    ) throws(ImportProblem) -> any PlacedReadings {
        let (table, reader) = try open()
        func rows(_ reader: some RowReader) -> any PlacedReadings {
            RowReadings(table: table, reader: reader, report: report, onFault: onFault)
        }
        return rows(reader)
    }
}
