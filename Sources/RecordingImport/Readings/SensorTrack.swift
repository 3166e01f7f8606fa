import SignalProcessing

/// What one sensor measured, at the instants of another.
final class SensorTrack {
    private let readings: ReadingSequence
    private let onProblem: (ImportProblem) -> Void
    private var before: SensorJoin.Reading<Int64>?
    private var after: SensorJoin.Reading<Int64>?
    private var isAtEnd = false

    /// The readings of a file; a file that cannot be read to its end is reported and ends there.
    init(_ readings: ReadingSequence, onProblem: @escaping (ImportProblem) -> Void) {
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

/// Reads the rows of a gyroscope, with what the other sensors measured at their instants.
struct JoinedReader<Rotation: RowReader>: RowReader {
    /// The gyroscope.
    var rotation: Rotation
    /// The accelerometer.
    let acceleration: SensorTrack
    /// The magnetometer, if there is one.
    let magneticField: SensorTrack?

    mutating func reading(of row: Row) throws(RowFault) -> TimedReading? {
        guard let timed = try rotation.reading(of: row), case .vector(let rate) = timed.reading,
            let acceleration = acceleration.value(at: timed.micros)
        else { return nil }
        return TimedReading(
            micros: timed.micros,
            reading: .raw(
                RawReading(
                    acceleration: acceleration, rotationRate: rate, magneticField: magneticField?.value(at: timed.micros))))
    }

    var companions: [SensorTrack] { [acceleration, magneticField].compactMap(\.self) }
}
