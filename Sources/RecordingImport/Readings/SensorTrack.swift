import SignalProcessing

/// What one sensor measured, at the instants of another.
final class SensorTrack {
    private let readings: any Readings
    private let onProblem: (ImportProblem) -> Void
    private var before: SensorJoin.Reading<Int64>?
    private var after: SensorJoin.Reading<Int64>?
    private var isAtEnd = false

    /// The readings of a file; a file that cannot be read to its end is reported and ends there.
    init(_ readings: any Readings, onProblem: @escaping (ImportProblem) -> Void) {
        self.readings = readings
        self.onProblem = onProblem
    }

    /// The rows that were dropped, by what is wrong with them.
    var dropped: [String: Int] { readings.report.dropped }

    /// The value at an instant, which is not before the ones asked for earlier; nil where nothing was measured around it.
    func value(at micros: Int64) -> SIMD3<Double>? {
        while !isAtEnd, after.map({ $0.time < micros }) ?? true { advance() }
        return SensorJoin.value(at: micros, before: before, after: after) { Double($0) / 1e6 }
    }

    private func advance() {
        before = after ?? before
        after = nil
        do throws(ImportProblem) {
            guard let reading = try readings.next() else { return isAtEnd = true }
            if case .vector(let value) = reading.reading { after = (reading.micros, value) }
        } catch {
            onProblem(error)
            isAtEnd = true
        }
    }
}

/// The readings of a gyroscope, with what the other sensors measured at their instants.
final class JoinedReadings: Readings {
    private let rotation: any Readings
    private let acceleration: [SensorTrack]
    private let magneticField: SensorTrack?
    private var blank = 0

    /// The sum of `acceleration` is the one with gravity; `magneticField` is nil where there is none.
    init(rotation: any Readings, acceleration: [SensorTrack], magneticField: SensorTrack?) {
        (self.rotation, self.acceleration, self.magneticField) = (rotation, acceleration, magneticField)
    }

    func next() throws(ImportProblem) -> TimedReading? {
        while let timed = try rotation.next() {
            guard case .vector(let rate) = timed.reading, let acceleration = acceleration(at: timed.micros) else {
                blank += 1
                continue
            }
            let raw = RawReading(
                acceleration: acceleration, rotationRate: rate, magneticField: magneticField?.value(at: timed.micros))
            return TimedReading(micros: timed.micros, reading: .raw(raw))
        }
        return nil
    }

    private func acceleration(at micros: Int64) -> SIMD3<Double>? {
        let parts = acceleration.map { $0.value(at: micros) }
        return parts.contains(nil) ? nil : parts.compactMap(\.self).reduce(.zero, +)
    }

    /// The gyroscope's, with what was dropped of the files beside.
    var report: FileReport {
        var report = rotation.report
        report.blank += blank
        for track in acceleration + [magneticField].compactMap(\.self) {
            report.dropped.merge(track.dropped, uniquingKeysWith: +)
        }
        return report
    }
}
