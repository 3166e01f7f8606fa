import SignalProcessing

/// The columns of the accelerometer and the gyroscope, for files without device motion. Either was measured at an instant of its own. The
/// magnetometer is left out: it measures mostly the phone's own field.
struct SensorLogSensors {
    /// The column of the gyroscope's times.
    let time: Column
    private let rotation: [Column]
    private let rotationScale: Double
    private let accelerationTime: Column
    private let acceleration: [Column]
    private let accelerationScale: Double
    private var before: (micros: Int64, value: SIMD3<Double>)?

    /// How far the last sample of the accelerometer may be from that of the gyroscope, in microseconds.
    private static let reach: Int64 = 100_000
    /// The column that a file with device motion has.
    private static let fused = "motionQuaternionW"

    /// Binds the columns by name. Nil where the file has device motion, or lacks one of the sensors; throws when a unit is not known.
    init?(_ header: Header) throws(ImportProblem) {
        let axes = ["X", "Y", "Z"]
        guard try header.find(Self.fused) == nil, try header.find("gyroRotationX") != nil,
            try header.find("accelerometerAccelerationX") != nil
        else { return nil }
        rotation = try header.require(axes.map { "gyroRotation\($0)" })
        acceleration = try header.require(axes.map { "accelerometerAcceleration\($0)" })
        let times = try header.require(["gyroTimestamp_sinceReboot", "accelerometerTimestamp_sinceReboot"])
        (time, accelerationTime) = (times[0], times[1])
        (accelerationScale, rotationScale) = try SensorLogUnits.scales(
            acceleration: acceleration, rotation: rotation, times: times, header: header)
    }

    /// The sample of the gyroscope in a row, with the acceleration at its instant as far as this row and the one before show it; nil where the
    /// row lacks either.
    mutating func reading(of row: Row) throws(RowFault) -> TimedReading? {
        try row.require([time, accelerationTime] + rotation + acceleration)
        guard !([time, accelerationTime] + rotation + acceleration).contains(where: { row.isBlank($0.index) }) else { return nil }
        let micros = try row.deviceMicros(time)
        let last = (micros: try row.deviceMicros(accelerationTime), value: try row.vector(acceleration) * accelerationScale)
        let rate = try row.vector(rotation) * rotationScale
        defer { before = last }
        guard abs(last.micros - micros) <= Self.reach else { return nil }
        var value = last.value
        if let before, before.micros < last.micros, (before.micros...last.micros).contains(micros) {
            let part = Double(micros - before.micros) / Double(last.micros - before.micros)
            value = before.value + (last.value - before.value) * part
        }
        return TimedReading(micros: micros, reading: .raw(RawReading(acceleration: value, rotationRate: rate)))
    }
}

extension Row {
    /// Microseconds since the device's start, from a column of seconds.
    func deviceMicros(_ column: Column) throws(RowFault) -> Int64 {
        let seconds = try number(column)
        guard seconds >= 0 else {
            throw RowFault("out of range", column: column.name, detail: "\(seconds) s is before the device's start")
        }
        return Int64((seconds * 1e6).rounded())
    }
}
