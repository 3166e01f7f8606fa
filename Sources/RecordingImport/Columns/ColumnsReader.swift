import SignalProcessing

/// Reads rows of raw motion: three columns of acceleration, three of rotation rate and, in some, three of the magnetic field.
struct ColumnsReader: LogReader {
    /// The columns of a vector, each with its factor to Core Motion's unit.
    private struct Axes {
        var columns: [Column]
        var scales: SIMD3<Double>

        func isBlank(in row: Row) -> Bool { columns.allSatisfy { row.isBlank($0.index) } }

        func value(of row: Row) throws(RowFault) -> SIMD3<Double> { try row.vector(columns) * scales + 0 }
    }

    var clock: RowClock
    private let acceleration: Axes
    private let rotation: Axes
    private let magneticField: Axes?
    /// The last magnetic field: magnetometers are slower than the rest.
    private var field: SIMD3<Double>?

    /// Binds the columns that `request` names; throws when one is missing, has no unit, or is one of three.
    init(_ header: Header, request: ImportRequest) throws(ImportProblem) {
        let requested = request.sensorColumns
        let columns = try header.require(requested.map(\.name))
        var bound: [SensorField: (column: Column, unit: String, sign: Double)] = [:]
        for (named, column) in zip(requested, columns) {
            guard let unit = named.unit ?? column.unit.flatMap({ named.field.unit($0) }) else {
                throw named.field.lacksUnit(column, header)
            }
            if let other = bound.first(where: { $0.value.column == column })?.key {
                throw ImportProblem(
                    "is given to both \(other.rawValue) and \(named.field.rawValue)", file: header.file, line: header.line,
                    column: column.name)
            }
            bound[named.field] = (column, unit, named.sign)
        }
        let axes = { (fields: [SensorField]) in
            let found = fields.compactMap { bound[$0] }
            let scales = found.map { $0.sign * (MotionUnits.scale(of: $0.unit) ?? 1) }
            return found.count == 3
                ? Axes(columns: found.map(\.column), scales: SIMD3(scales[0], scales[1], scales[2])) : nil
        }
        let needed = SensorField.acceleration + SensorField.rotation + (request.interval == nil ? [.time] : [])
        let isMagnetic = SensorField.magneticField.contains { bound[$0] != nil }
        let missing = (needed + (isMagnetic ? SensorField.magneticField : [])).filter { bound[$0] == nil }.map(\.rawValue)
        guard missing.isEmpty, let acceleration = axes(SensorField.acceleration), let rotation = axes(SensorField.rotation) else {
            throw ImportProblem(
                "no column for \(missing.joined(separator: ", ")); \(header.listing); say --columns FIELD=COLUMN:UNIT,..."
                    + (missing.contains("t") ? " or --interval SECONDS" : ""), file: header.file, line: header.line)
        }
        (self.acceleration, self.rotation, magneticField) = (acceleration, rotation, axes(SensorField.magneticField))
        let time = bound[.time]
        clock = RowClock(
            time?.column, named: "t", unit: time.flatMap { RowClock.Unit(rawValue: $0.unit) } ?? .calendar,
            interval: request.interval, skippedRows: request.skippedRows)
    }

    mutating func reading(of row: Row) throws(RowFault) -> TimedReading? {
        guard let micros = try clock.micros(of: row) else { return nil }
        if let magneticField, !magneticField.isBlank(in: row) { field = try magneticField.value(of: row) }
        guard !acceleration.isBlank(in: row) || !rotation.isBlank(in: row) else { return nil }
        return TimedReading(
            micros: micros,
            reading: .raw(
                RawReading(
                    acceleration: try acceleration.value(of: row), rotationRate: try rotation.value(of: row),
                    magneticField: field)))
    }
}
