/// Reads rows of a dive log.
struct DiveReader: RowReader {
    private let binding: DiveBinding
    /// Seconds from row to row; nil where the rows have times.
    private let interval: Double?
    /// The place of the next row; negative for those that are no samples.
    private var place: Int
    /// The last surface pressure; some logs have it once.
    private var surfacePressure: WaterReading.Measured?

    /// Unix microseconds, or for times in seconds the log's own, at which the device's clock showed 0.
    var epoch: Int64 = 0
    /// Whether a time of day was read as UTC because it names no zone.
    private(set) var lacksZone = false

    init(_ binding: DiveBinding, interval: Double?, skippedRows: Int) {
        self.binding = binding
        self.interval = interval
        place = -skippedRows
    }

    /// Whether the times are points in time and not seconds since the log's beginning.
    var isAbsolute: Bool { interval == nil && binding.columns[.time]?.unit != "s" }

    mutating func skip() { place += 1 }

    mutating func reading(of row: Row) throws(RowFault) -> TimedReading? {
        defer { place += 1 }
        guard place >= 0 else { return nil }
        let micros = try micros(of: row) - epoch
        surfacePressure = try quantity(.surfacePressure, of: row) ?? surfacePressure
        var reading = WaterReading(
            depth: try quantity(.depth, of: row), pressure: try quantity(.pressure, of: row),
            temperature: try quantity(.temperature, of: row))
        guard reading.depth != nil || reading.pressure != nil || reading.temperature != nil else { return nil }
        reading.surfacePressure = surfacePressure
        return TimedReading(micros: micros, reading: .water(reading))
    }

    private func quantity(_ field: DiveField, of row: Row) throws(RowFault) -> WaterReading.Measured? {
        guard let bound = binding.columns[field], let unit = bound.unit,
            let value = try row.optionalNumber(bound.column)
        else { return nil }
        return WaterReading.Measured(value: value, unit: unit)
    }

    private mutating func micros(of row: Row) throws(RowFault) -> Int64 {
        if let interval { return Int64((Double(place) * interval * 1e6).rounded()) }
        guard let time = binding.columns[.time] else { return 0 }
        let seconds: Double
        switch time.unit {
        case "unix_s": seconds = try row.number(time.column, limit: 1e11)
        case "unix_ms": seconds = try row.number(time.column, limit: 1e14) / 1000
        case "s": seconds = try row.number(time.column)
        default: seconds = try calendarSeconds(of: row, time.column)
        }
        guard isAbsolute ? seconds > 0 : seconds >= 0 else {
            throw RowFault("out of range", column: time.column.name, detail: "\(seconds) s is before the earliest time")
        }
        return Int64((seconds * 1e6).rounded())
    }

    private mutating func calendarSeconds(of row: Row, _ column: Column) throws(RowFault) -> Double {
        let text = row.text(column.index)
        if text.isEmpty { throw RowFault("with a blank cell", column: column.name, detail: "the cell is blank") }
        guard let time = CalendarTime.read(text) else {
            let advice = "; for a number say its unit: --columns time=\(column.name):unix_s (or unix_ms, or s)"
            throw RowFault(
                "without a time", column: column.name, detail: "\(ImportProblem.quoted(text)) is no date and time\(advice)")
        }
        if !time.hasZone { lacksZone = true }
        return time.seconds
    }
}
