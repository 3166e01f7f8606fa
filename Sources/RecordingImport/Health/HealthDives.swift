/// The readings of a device that has no sample out of the water, with the end of each submersion but the last: without it the next dive would be the
/// same.
final class HealthDives: Readings {
    /// The greatest time from sample to sample in a dive, in microseconds.
    private static let longest: Int64 = 60_000_000
    /// Whoever is deeper at the last sample than this, in metres, may be there for longer.
    private static let deepest = 2.0
    /// After so many microseconds without a sample it is another dive in any case.
    private static let another: Int64 = 3_600_000_000
    private static let second: Int64 = 1_000_000

    private let readings: any Readings
    private var depth: (micros: Int64, metres: Double)?
    private var pending: TimedReading?

    /// The readings of `readings`, in order of time.
    init(_ readings: any Readings) { self.readings = readings }

    var report: FileReport { readings.report }

    func next() throws(ImportProblem) -> TimedReading? {
        if let timed = pending {
            pending = nil
            return watch(timed)
        }
        guard let timed = try readings.next() else { return nil }
        guard let end = end(before: timed) else { return watch(timed) }
        depth = nil
        pending = timed
        return TimedReading(micros: end, reading: .surfaced)
    }

    private func watch(_ timed: TimedReading) -> TimedReading {
        if case .water(let water) = timed.reading, let metres = water.depth?.value { depth = (timed.micros, metres) }
        return timed
    }

    /// When the water was left, where it was left before a reading.
    private func end(before timed: TimedReading) -> Int64? {
        guard let depth else { return nil }
        let gap = timed.micros - depth.micros
        if gap > Self.longest, depth.metres <= Self.deepest { return depth.micros + Self.second }
        return gap > Self.another ? timed.micros - Self.second : nil
    }
}
