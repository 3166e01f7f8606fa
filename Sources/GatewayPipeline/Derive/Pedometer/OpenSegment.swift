import TelemetryModel

/// A segment that has not ended: its sums so far.
struct OpenSegment: Sendable, Equatable, Codable {
    /// Device time in s.
    private(set) var start: Double
    /// The `seq` of the frame in which it began.
    var firstSequence: UInt64?
    var climb = ClimbSum()
    private var steps = 0.0
    private var distance: Double?
    private var covered = 0.0

    /// A segment from `start` on.
    init(start: Double, firstSequence: UInt64?) {
        self.start = start
        self.firstSequence = firstSequence
    }

    /// Has it begin at `time` instead, which is later: what was covered and climbed before is not its own.
    mutating func restart(at time: Double) {
        guard time > start else { return }
        covered = max(0, covered - (time - start))
        start = time
        climb.restartHeights()
    }

    /// Seconds between two readings beyond which a segment is not covered by data.
    private static let coveredSeconds = 10.0

    /// Adds what was counted in it; `time` is how long of the stretch lies in the segment.
    mutating func add(_ stretch: StepStretch, moving time: Double, isSparse: Bool, heights: HeightBuffer) {
        steps += stretch.steps
        distance = distance.adding(stretch.distance)
        if !isSparse { covered += time }
        if let meters = stretch.distance { climb.addDistance(meters, from: stretch.start, to: stretch.end, heights: heights) }
    }

    /// Whether a stretch is so long that what happened in it is not known.
    static func isSparse(_ stretch: StepStretch) -> Bool { stretch.duration > coveredSeconds }

    /// The segment that ends at `end`.
    func ended(at end: Double, heights: HeightBuffer, settings: PedometerSettings) -> Segment {
        let duration = max(0, end - start)
        var segment = Segment(
            start: DeviceTime(start), end: DeviceTime(max(start, end)), steps: steps, distance: distance,
            coverage: duration > 0 ? min(1, covered / duration) : covered > 0 ? 1 : 0)
        segment.climb = climb.climb(of: segment, from: start, to: end, heights: heights, settings: settings)
        return segment
    }
}
