import SignalProcessing

/// Reads rows of Sensor Logger: nanoseconds since 1970 and values.
struct SensorLoggerReader: RowReader {
    /// What a row holds beside its time.
    enum Values {
        case motion(MotionColumns, location: Column?)
        case altitude(relative: Column, pressure: Column)
        case steps(Column)
        case vector([Column])
    }

    /// The column that says which bud was worn, in small letters.
    static let location = "devicelocation"

    private let time: Column
    private let values: Values
    /// Unix microseconds at which the device's clock showed 0.
    var epoch: Int64 = 0
    /// How the numbers of motion become Core Motion's.
    var convention = MotionConvention()
    /// kPa for each unit of a pressure.
    var kilopascals = 1.0
    private var faults: [RowFault] = []

    /// A reader of `file`. Throws when a column is missing.
    init(_ header: Header, file: SensorLoggerFile) throws(ImportProblem) {
        time = try header.require(["time"])[0]
        switch file {
        case .headphone, .wristMotion:
            let columns = try MotionColumns(
                header, attitude: "quaternion", rotationRate: "rotationRate", userAcceleration: "acceleration",
                gravity: "gravity")
            let location = header.columns.first { $0.title.lowercased() == Self.location }
            values = .motion(columns, location: file == .headphone ? location : nil)
        case .barometer, .watchBarometer:
            let columns = try header.require(["relativeAltitude", "pressure"])
            values = .altitude(relative: columns[0], pressure: columns[1])
        case .pedometer:
            values = .steps(try header.require(["steps"])[0])
        case .totalAcceleration, .accelerometerUncalibrated, .accelerometer, .gravity, .gyroscope, .gyroscopeUncalibrated,
            .magnetometer:
            values = .vector(try header.require(["x", "y", "z"]))
        }
    }

    mutating func reading(of row: Row) throws(RowFault) -> TimedReading? {
        TimedReading(micros: try micros(of: row) - epoch, reading: try value(of: row))
    }

    private func micros(of row: Row) throws(RowFault) -> Int64 {
        let text = row.text(time.index)
        // As Double the last 256 ns would be lost, and with them the order of fast samples.
        let exact = Int64(text)
        let nanos = exact ?? (Row.decimal(text, allowsComma: false).flatMap { Int64(exactly: $0.rounded()) })
        guard let nanos else {
            throw RowFault(
                "with a cell that is no number", column: time.name, detail: "\(ImportProblem.quoted(text)) is no number")
        }
        // 1973 to 2255: what is outside was written in another unit.
        guard (100_000_000_000_000_000...9_000_000_000_000_000_000).contains(nanos) else {
            throw RowFault("out of range", column: time.name, detail: "\(text) is not nanoseconds since 1970")
        }
        return (nanos + 500) / 1000
    }

    mutating func takeCellFaults() -> [RowFault] { exchange(&faults, with: []) }

    /// A number beside another; a cell that cannot be read is left out.
    private mutating func number(of row: Row, _ column: Column) -> Double? {
        do throws(RowFault) { return try row.optionalNumber(column, limit: 1e6) } catch {
            faults.append(error)
            return nil
        }
    }

    private mutating func value(of row: Row) throws(RowFault) -> Reading {
        switch values {
        case .motion(let columns, let location):
            var reading = convention.apply(to: try columns.reading(of: row))
            switch location.map({ row.text($0.index).lowercased() }) {
            case "left", "headphoneleft": reading.sensorLocation = .headphoneLeft
            case "right", "headphoneright": reading.sensorLocation = .headphoneRight
            default: break
            }
            return .motion(reading)
        case .altitude(let relative, let pressure):
            let reading = AltitudeReading(
                relativeAltitude: number(of: row, relative), pressure: number(of: row, pressure).map { $0 * kilopascals })
            if reading.relativeAltitude != nil || reading.pressure != nil { return .altitude(reading) }
            let fault = faults.first ?? RowFault("with a blank cell", column: relative.name, detail: "the cell is blank")
            faults = []
            throw fault
        case .steps(let column):
            return .pedometer(PedometerReading(steps: Int(try row.number(column).rounded())))
        case .vector(let columns):
            return .vector(try row.vector(columns) * convention.accelerationScale)
        }
    }
}
