import SignalProcessing

/// Reads rows of motion: raw, as three columns of acceleration, three of rotation rate and, in some, three of the magnetic field; or fused, as
/// four columns of the attitude and three each of rotation rate, acceleration without gravity, and gravity.
struct ColumnsReader: LogReader {
    /// The columns of a vector, each with its factor to Core Motion's unit.
    private struct Axes {
        var columns: [Column]
        var scales: SIMD3<Double>

        func isBlank(in row: Row) -> Bool { columns.allSatisfy { row.isBlank($0.index) } }

        func value(of row: Row) throws(RowFault) -> SIMD3<Double> { try row.vector(columns) * scales + 0 }
    }

    private enum Values {
        case raw(acceleration: Axes, magneticField: Axes?)
        case fused(MotionColumns, attitude: SIMD4<Double>, user: SIMD3<Double>, gravity: SIMD3<Double>)
    }

    var clock: RowClock
    private let rotation: Axes
    private let values: Values
    /// The last magnetic field: magnetometers are slower than the rest.
    private var field: SIMD3<Double>?

    /// Binds the columns that `request` names; throws when one is missing, has no unit, or is one of several that belong together.
    init(_ header: Header, request: ImportRequest) throws(ImportProblem) {
        let bound = try Bindings(header, request.sensorColumns)
        let isFused = bound.hasAny(of: SensorField.attitude + SensorField.userAcceleration + SensorField.gravity)
        let isMagnetic = bound.hasAny(of: SensorField.magneticField)
        let motion =
            isFused
            ? SensorField.attitude + SensorField.userAcceleration + SensorField.gravity
            : SensorField.acceleration + (isMagnetic ? SensorField.magneticField : [])
        let missing = bound.missing(of: motion + SensorField.rotation + (request.interval == nil ? [.time] : []))
        guard missing.isEmpty else {
            throw ImportProblem(
                "no column for \(missing.joined(separator: ", ")); \(header.listing); say --columns FIELD=COLUMN:UNIT,..."
                    + (missing.contains("t") ? " or --interval SECONDS" : ""), file: header.file, line: header.line)
        }
        let axes = { (fields: [SensorField]) in Axes(columns: bound.columns(fields), scales: bound.scales(fields)) }
        rotation = axes(SensorField.rotation)
        if isFused {
            let signs = SensorField.attitude.map(bound.scale)
            values = .fused(
                MotionColumns(
                    attitude: bound.columns(SensorField.attitude), rotationRate: rotation.columns,
                    userAcceleration: bound.columns(SensorField.userAcceleration), gravity: bound.columns(SensorField.gravity)),
                attitude: SIMD4(signs[0], signs[1], signs[2], signs[3]), user: bound.scales(SensorField.userAcceleration),
                gravity: bound.scales(SensorField.gravity))
        } else {
            values = .raw(
                acceleration: axes(SensorField.acceleration), magneticField: isMagnetic ? axes(SensorField.magneticField) : nil)
        }
        clock = RowClock(
            RowClock.Source(
                time: bound.column(.time), date: bound.column(.date),
                unit: bound.unit(.time).flatMap { RowClock.Unit(rawValue: $0) } ?? .calendar, field: "t"), request: request)
    }

    mutating func reading(of row: Row) throws(RowFault) -> TimedReading? {
        guard !(0..<row.cellCount).allSatisfy(row.isBlank) else {
            clock.skip()
            return nil
        }
        guard let micros = try clock.micros(of: row) else { return nil }
        switch values {
        case .raw(let acceleration, let magneticField):
            if let magneticField, !magneticField.isBlank(in: row) { field = try magneticField.value(of: row) }
            guard !acceleration.isBlank(in: row) || !rotation.isBlank(in: row) else { return nil }
            let raw = RawReading(
                acceleration: try acceleration.value(of: row), rotationRate: try rotation.value(of: row), magneticField: field)
            return TimedReading(micros: micros, reading: .raw(raw))
        case .fused(let columns, let attitude, let user, let gravity):
            guard columns.all.contains(where: { !row.isBlank($0.index) }) else { return nil }
            var sample = try columns.reading(of: row)
            sample.attitude = sample.attitude * attitude + 0
            sample.rotationRate = sample.rotationRate * rotation.scales + 0
            sample.userAcceleration = sample.userAcceleration * user + 0
            sample.gravity = sample.gravity * gravity + 0
            return TimedReading(micros: micros, reading: .motion(sample))
        }
    }
}

/// The columns that `--columns` names, with their units and signs.
private struct Bindings {
    private var bound: [SensorField: (column: Column, unit: String?, sign: Double)] = [:]

    init(_ header: Header, _ requested: [NamedColumn<SensorField>]) throws(ImportProblem) {
        let columns = try header.require(requested.map(\.name))
        for (named, column) in zip(requested, columns) {
            let unit = named.unit ?? column.unit.flatMap { named.field.unit($0) }
            guard unit != nil || named.field.units.isEmpty else { throw named.field.lacksUnit(column, header) }
            if let other = bound.first(where: { $0.value.column == column })?.key {
                throw ImportProblem(
                    "is given to both \(other.rawValue) and \(named.field.rawValue)", file: header.file, line: header.line,
                    column: column.name)
            }
            bound[named.field] = (column, unit, named.sign)
        }
    }

    func hasAny(of fields: [SensorField]) -> Bool { fields.contains { bound[$0] != nil } }

    /// The names of those that are not there.
    func missing(of fields: [SensorField]) -> [String] { fields.filter { bound[$0] == nil }.map(\.rawValue) }

    func column(_ field: SensorField) -> Column? { bound[field]?.column }

    func unit(_ field: SensorField) -> String? { bound[field]?.unit }

    func columns(_ fields: [SensorField]) -> [Column] { fields.compactMap { bound[$0]?.column } }

    /// The factor to Core Motion's unit and sign.
    func scale(_ field: SensorField) -> Double {
        guard let column = bound[field] else { return 1 }
        return column.sign * (column.unit.flatMap { MotionUnits.scale(of: $0) } ?? 1)
    }

    /// The factors of three fields.
    func scales(_ fields: [SensorField]) -> SIMD3<Double> { SIMD3(scale(fields[0]), scale(fields[1]), scale(fields[2])) }
}
