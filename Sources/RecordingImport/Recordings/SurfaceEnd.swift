/// The readings of a log that ends where dive computers end theirs, just under the surface, with the end of the submersion after them.
///
/// A log that ends deeper was cut off: it is left as it is.
final class SurfaceEnd: Readings {
    /// From this depth on, in metres, a device counts as in the water.
    private static let surface = 0.2
    /// The deepest end of a log that is one, in metres...
    private static let deepest = 2.0
    /// ...or what a diver ascends at this rate in m/s in an interval of the log.
    private static let ascent = 0.3
    /// How many intervals are looked at.
    private static let most = 16

    private let readings: any Readings
    private let note: (String) -> Void
    private var intervals: [Int64] = []
    private var depth: (micros: Int64, meters: Double)?
    private var last: Int64 = 0
    private var isAtEnd = false

    /// `note` is told of the end that is added, or why none is.
    init(_ readings: any Readings, note: @escaping (String) -> Void) { (self.readings, self.note) = (readings, note) }

    var report: FileReport { readings.report }

    func next() throws(ImportProblem) -> TimedReading? {
        if let timed = try readings.next() {
            watch(timed)
            return timed
        }
        guard !isAtEnd else { return nil }
        isAtEnd = true
        return end()
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
        let interval = intervals.isEmpty ? 1_000_000 : intervals.sorted()[intervals.count / 2]
        let seconds = Double(interval) / 1e6
        let place = "\(report.file): the log ends under water, at \((depth.meters * 100).rounded() / 100) m"
        guard depth.meters <= max(Self.deepest, Self.ascent * seconds) else {
            note("\(place): too deep for the end of a dive, so none is added and its last dive stays open")
            return nil
        }
        note("\(place): the end of the submersion is added \(FileReport.text(seconds)) s later; --open-end leaves it out")
        return TimedReading(micros: max(last, depth.micros + interval), reading: .surfaced)
    }
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
