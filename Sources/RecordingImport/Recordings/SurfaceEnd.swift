/// The readings of a log with the end of the submersion where dive computers end a dive, just under the surface: at the end of the log, and
/// before a hole.
///
/// A log that ends deeper was cut off: it is left as it is.
final class SurfaceEnd: Readings {
    /// From this depth on, in metres, a device counts as in the water.
    private static let surface = 0.2
    /// The deepest end of a log that is one, in metres...
    private static let deepest = 2.0
    /// ...or what a diver ascends at this rate in m/s in an interval of the log, where that is not longer than so many microseconds:
    /// computers of divers take less, and the log of a mooring may end at any depth.
    private static let (ascent, longestInterval) = (0.3, Int64(60_000_000))
    /// A hole in microseconds, and in intervals of the log, that a dive does not go on over: computers end a dive after three minutes
    /// at the surface, or sooner.
    private static let hole: (micros: Int64, intervals: Int64) = (180_000_000, 10)
    /// How many intervals are looked at.
    private static let most = 16

    private let readings: any Readings
    private let isOneDive: Bool
    private let note: (String) -> Void
    private var intervals: [Int64] = []
    private var depth: (micros: Int64, meters: Double)?
    private var last: Int64 = 0
    private var pending: TimedReading?
    private var isAtEnd = false
    private var ends = 0

    /// `note` is called with each end that is added, or why none is. With `isOneDive`, as the log says, none is added before a hole.
    init(_ readings: any Readings, isOneDive: Bool, note: @escaping (String) -> Void) {
        (self.readings, self.isOneDive, self.note) = (readings, isOneDive, note)
    }

    var report: FileReport { readings.report }

    func next() throws(ImportProblem) -> TimedReading? {
        if let timed = if let pending { pending } else { try readings.next() } {
            if pending == nil, let end = endBefore(timed) {
                pending = timed
                return end
            }
            pending = nil
            watch(timed)
            return timed
        }
        guard !isAtEnd else { return nil }
        isAtEnd = true
        if ends > 1 { note("\(report.file): the end of the submersion is added before \(ends) holes in all") }
        return end()
    }

    /// The end of the submersion where `next` is behind a hole.
    private func endBefore(_ next: TimedReading) -> TimedReading? {
        // Behind the first row of a log nothing shows that the time to the next is not its interval.
        guard !intervals.isEmpty, !isOneDive, let depth, depth.meters >= Self.surface, case .water = next.reading else {
            return nil
        }
        let hole = next.micros - depth.micros
        guard hole > Self.hole.micros, hole > Self.hole.intervals * interval, depth.meters <= deepestEnd else { return nil }
        ends += 1
        if ends == 1 {
            note(
                "\(report.file): no row for \(FileReport.text(Double(hole) / 1e6)) s after one at \(Self.text(depth.meters)) m: "
                    + "the end of the submersion is added; --open-end leaves it out")
        }
        self.depth = nil
        return TimedReading(micros: max(last, depth.micros + interval), reading: .surfaced)
    }

    private func watch(_ timed: TimedReading) {
        last = timed.micros
        guard case .water(let water) = timed.reading, let meters = water.meters else { return }
        if let depth, timed.micros > depth.micros {
            if intervals.count == Self.most { intervals.removeFirst() }
            intervals.append(timed.micros - depth.micros)
        }
        depth = (timed.micros, meters)
    }

    private func end() -> TimedReading? {
        guard let depth, depth.meters >= Self.surface else { return nil }
        let place = "\(report.file): the log ends under water, at \(Self.text(depth.meters)) m"
        guard depth.meters <= deepestEnd else {
            note("\(place): too deep for the end of a dive, so none is added and its last dive stays open")
            return nil
        }
        let seconds = FileReport.text(Double(interval) / 1e6)
        note("\(place): the end of the submersion is added \(seconds) s later; --open-end leaves it out")
        return TimedReading(micros: max(last, depth.micros + interval), reading: .surfaced)
    }

    /// The usual time from row to row, in microseconds.
    private var interval: Int64 { intervals.isEmpty ? 1_000_000 : intervals.sorted()[intervals.count / 2] }

    private var deepestEnd: Double {
        interval > Self.longestInterval ? Self.deepest : max(Self.deepest, Self.ascent * Double(interval) / 1e6)
    }

    private static func text(_ meters: Double) -> String { FileReport.text((meters * 100).rounded() / 100) }
}

extension WaterReading {
    /// The depth in metres, roughly where it comes of a pressure; nil where there is none.
    var meters: Double? {
        if let depth { return WaterUnits.meters[depth.unit].map { depth.value * $0 } }
        guard let pressure, let surfacePressure, let below = WaterUnits.pascals[pressure.unit],
            let above = WaterUnits.pascals[surfacePressure.unit]
        else { return nil }
        return (pressure.value * below - surfacePressure.value * above) / WaterUnits.pascalsPerMeter
    }
}
