import TelemetryModel
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
    private let times: TimeRules
    /// Whether the time of day names no zone.
    private(set) var lacksZone = false
    /// When the first rows were written less the device time of their samples, in microseconds.
    private var offsets: [Int64] = []

    private static let mostRows = 4096
    /// How much earlier than most an offset may be, in microseconds: what is further off was written wrong.
    private static let tolerance: Int64 = 10_000_000
    private let referenceFrame: Column?

    /// Binds the columns by name; throws when one is missing or has a unit that is not known.
    init(_ header: Header, times: TimeRules) throws(ImportProblem) {
        self.times = times
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
        let timed = try sample(of: row)
        if let timed, let logged = loggedAt(row) { offsets.append(logged - timed.micros) }
        return timed
    }

    private mutating func sample(of row: Row) throws(RowFault) -> TimedReading? {
        switch values {
        case .raw(var sensors):
            defer { values = .raw(sensors) }
            return try sensors.reading(of: row)
        case .motion(let columns, let convention):
            // Rows are written on a timer of their own: before the first sample, and for other sensors, there is none.
            try row.require([time] + columns.all)
            guard !([time] + columns.all).contains(where: { row.isBlank($0.index) }) else { return nil }
            var sample = convention.apply(to: try columns.reading(of: row))
            sample.referenceFrame = referenceFrame.flatMap { Self.referenceFrame(row.text($0.index)) }
            return TimedReading(micros: try row.deviceMicros(time), reading: .motion(sample))
        }
    }

    /// Unix microseconds at which the device's clock showed 0, by the rows read so far; nil where they have no time of day.
    ///
    /// Rows are written late by up to a second, and several at once: the row with the shortest delay gives the best estimate.
    var epoch: Int64? {
        let sorted = offsets.sorted()
        guard !sorted.isEmpty else { return nil }
        let usual = sorted[sorted.count / 2]
        return sorted.first { $0 >= usual - Self.tolerance }
    }

    /// Unix microseconds at which the row was written; nil where it does not contain it.
    private mutating func loggedAt(_ row: Row) -> Int64? {
        guard offsets.count < Self.mostRows, let loggingTime,
            let time = try? CalendarTime.read(row.text(loggingTime.index), order: times.dateOrder),
            time.seconds > 86_400
        else { return nil }
        var seconds = time.seconds
        if !time.hasZone {
            lacksZone = true
            seconds = times.zone?.seconds(ofLocal: seconds, after: nil) ?? seconds
        }
        return Int64((seconds * 1e6).rounded())
    }

    /// Core Motion's name, which SensorLog writes with a capital.
    private static func referenceFrame(_ text: String) -> String? {
        let names = [
            "xArbitraryZVertical", "xArbitraryCorrectedZVertical", "xMagneticNorthZVertical", "xTrueNorthZVertical",
        ]
        return names.first { $0.lowercased() == text.lowercased() }
    }
}
