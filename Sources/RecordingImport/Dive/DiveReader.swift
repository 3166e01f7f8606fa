/// Reads rows of a dive log.
struct DiveReader: LogReader {
    private let binding: DiveBinding
    var clock: RowClock
    /// The last surface pressure; some logs have it once.
    private var surfacePressure: WaterReading.Measured?

    init(_ binding: DiveBinding, interval: Double?, skippedRows: Int) {
        self.binding = binding
        let time = binding.columns[.time]
        // Cells of a time without a unit are dates.
        let unit = time?.unit.flatMap(RowClock.Unit.init(rawValue:)) ?? .calendar
        clock = RowClock(time?.column, named: "time", unit: unit, interval: interval, skippedRows: skippedRows)
    }

    mutating func reading(of row: Row) throws(RowFault) -> TimedReading? {
        guard let micros = try clock.micros(of: row) else { return nil }
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
}
