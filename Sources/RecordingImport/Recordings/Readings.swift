/// The readings of one stream in one file, in order of time.
protocol Readings: AnyObject {
    /// The next reading; nil at the end.
    func next() throws(ImportProblem) -> TimedReading?

    /// The result of what was read so far, without frames and samples.
    var report: FileReport { get }
}

/// Readings that were read before, sorted by time: of a file that is small, or not in order.
final class SortedReadings: Readings {
    private var readings: ArraySlice<TimedReading>
    let report: FileReport

    /// Sorts `readings`; those of one instant keep their order.
    init(_ readings: [TimedReading], report: FileReport) {
        let sorted = readings.enumerated().sorted { ($0.element.micros, $0.offset) < ($1.element.micros, $1.offset) }
        self.readings = sorted.map(\.element)[...]
        self.report = report
    }

    func next() -> TimedReading? { readings.popFirst() }
}
