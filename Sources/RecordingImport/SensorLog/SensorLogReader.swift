import SignalProcessing

/// Reads rows of SensorLog: seconds since the device's start, and device motion in Core Motion's signs, or what the sensors measured where the
/// file has no device motion.
struct SensorLogReader: RowReader {
    private enum Values {
        case motion(MotionColumns, MotionConvention)
        case raw(SensorLogSensors)
    }

    private var values: Values
    private let time: Column
    private let loggingTime: Column?
    private let referenceFrame: Column?

    /// Binds the columns by name; throws when one is missing or has a unit that is not known.
    init(_ header: Header) throws(ImportProblem) {
        loggingTime = try header.find("loggingTime")
        referenceFrame = try header.find("motionAttitudeReferenceFrame")
        if let sensors = try SensorLogSensors(header) {
            values = .raw(sensors)
            time = sensors.time
            return
        }
        let columns = try MotionColumns(
            header, attitude: "motionQuaternion", rotationRate: "motionRotationRate",
            userAcceleration: "motionUserAcceleration", gravity: "motionGravity")
        time = try header.require(["motionTimestamp_sinceReboot"])[0]
        values = .motion(columns, try SensorLogUnits.convention(columns, time: time, header: header))
    }

    mutating func reading(of row: Row) throws(RowFault) -> TimedReading? {
        switch values {
        case .raw(var sensors):
            defer { values = .raw(sensors) }
            return try sensors.reading(of: row)
        case .motion(let columns, let convention):
            // Rows are written on a timer of their own: before the first sample, and for other sensors, there is none.
            guard !([time] + columns.all).contains(where: { row.isBlank($0.index) }) else { return nil }
            var sample = convention.apply(to: try columns.reading(of: row))
            sample.referenceFrame = referenceFrame.flatMap { Self.referenceFrame(row.text($0.index)) }
            return TimedReading(micros: try row.deviceMicros(time), reading: .motion(sample))
        }
    }

    /// Unix microseconds at which the row was written; nil where it does not contain it.
    func loggedAt(_ row: Row) -> Int64? {
        guard let loggingTime, let time = CalendarTime.read(row.text(loggingTime.index)), time.hasZone, time.seconds > 0 else {
            return nil
        }
        return Int64((time.seconds * 1e6).rounded())
    }

    /// Core Motion's name, which SensorLog writes with a capital.
    private static func referenceFrame(_ text: String) -> String? {
        let names = [
            "xArbitraryZVertical", "xArbitraryCorrectedZVertical", "xMagneticNorthZVertical", "xTrueNorthZVertical",
        ]
        return names.first { $0.lowercased() == text.lowercased() }
    }
}
