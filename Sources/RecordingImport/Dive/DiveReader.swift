/// Reads rows of a dive log.
struct DiveReader: LogReader {
    /// The columns.
    let binding: DiveBinding
    var clock: RowClock
    /// The last surface pressure; some logs have it once.
    private var surfacePressure: WaterReading.Measured?
    private var faults: [RowFault] = []

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

    mutating func takeCellFaults() -> [RowFault] {
        defer { faults = [] }
        return faults
    }

    /// A cell that cannot be read is left out, and the rest of the row is read.
    private mutating func quantity(_ field: DiveField, of row: Row) -> WaterReading.Measured? {
        guard let bound = binding.columns[field], let unit = bound.unit else { return nil }
        do throws(RowFault) {
            return try row.optionalNumber(bound.column).map { WaterUnits.measured($0, unit: unit) }
        } catch {
            faults.append(error)
            return nil
        }
    }
}
