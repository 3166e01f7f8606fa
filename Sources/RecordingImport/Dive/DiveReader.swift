/// Reads rows of a dive log.
struct DiveReader: LogReader {
    /// The columns.
    let binding: DiveBinding
    var clock: RowClock
    /// The last surface pressure; some logs have it once.
    private var surfacePressure: WaterReading.Measured?
    private var faults: [RowFault] = []
    /// How the depths are written.
    private(set) var depths = DepthWriting()

    /// `surfacePressure` is used until the log has one.
    init(_ binding: DiveBinding, surfacePressure: WaterReading.Measured?, request: ImportRequest) {
        self.binding = binding
        self.surfacePressure = surfacePressure
        let time = binding.columns[.time]
        // Cells of a time without a unit are dates.
        let unit = time?.unit.flatMap(RowClock.Unit.init(rawValue:)) ?? .calendar
        clock = RowClock(
            RowClock.Source(time: time?.column, date: binding.columns[.date]?.column, unit: unit, field: "time"), request: request
        )
    }

    mutating func reading(of row: Row) throws(RowFault) -> TimedReading? {
        guard !(0..<row.cellCount).allSatisfy(row.isBlank) else {
            clock.skip()
            return nil
        }
        guard let micros = try clock.micros(of: row) else { return nil }
        surfacePressure = quantity(.surfacePressure, of: row) ?? surfacePressure
        var reading = WaterReading(
            depth: quantity(.depth, of: row), pressure: quantity(.pressure, of: row),
            temperature: quantity(.temperature, of: row))
        guard reading.depth != nil || reading.pressure != nil || reading.temperature != nil else {
            // With one cell at fault and no other, the row is.
            guard let fault = faults.first else { return nil }
            faults = []
            throw fault
        }
        reading.surfacePressure = surfacePressure
        return TimedReading(micros: micros, reading: .water(reading))
    }

    mutating func takeCellFaults() -> [RowFault] { exchange(&faults, with: []) }

    /// A cell that cannot be read is left out, and the rest of the row is read.
    private mutating func quantity(_ field: DiveField, of row: Row) -> WaterReading.Measured? {
        guard let bound = binding.columns[field], let unit = bound.unit else { return nil }
        do throws(RowFault) {
            // Without the sign of a zero.
            let number = try row.optionalNumber(bound.column).map { $0 * bound.sign + 0 }
            if field == .depth { depths.add(number, row, bound.column) }
            return number.map { WaterUnits.measured($0, unit: unit) }
        } catch {
            faults.append(error)
            return nil
        }
    }
}

/// How the depths of a table are written, as far as it shows that they would be read wrongly.
struct DepthWriting {
    /// A depth in its unit that no sensor at the surface is off by.
    private static let leastNegative = -2.0

    private var least = 0.0
    private var greatest = 0.0
    /// The first number whose comma may group thousands.
    private var grouped: String?
    private var hasWhole = false
    private var hasDecimals = false

    /// Adds a row's depth.
    mutating func add(_ number: Double?, _ row: Row, _ column: Column) {
        guard let number else { return }
        least = min(least, number)
        greatest = max(greatest, number)
        guard row.allowsDecimalComma, !hasDecimals else { return }
        let text = row.text(column.index)
        if Row.mayGroup(text) {
            grouped = grouped ?? text
        } else if text.contains(where: { ",.".contains($0) }) {
            hasDecimals = true
        } else {
            hasWhole = true
        }
    }

    /// Why the depths cannot be read as they are; nil where they can.
    func fault(of column: Column) -> String? {
        if let grouped, hasWhole, !hasDecimals {
            return "\(ImportProblem.quoted(grouped)) beside whole numbers may have a comma for thousands or for decimals: "
                + "write it without one"
        }
        guard least < Self.leastNegative, -least > greatest else { return nil }
        return "the depths are negative, down to \(FileReport.text(least)): where they count upwards say --columns "
            + "depth=-\(column.title):\(column.unit ?? "UNIT")"
    }
}
