internal import SignalProcessing
import TelemetryModel

/// The ups and downs of a segment that has not ended, and what they cost.
struct ClimbSum: Sendable, Equatable, Codable {
    private var startHeight: Double?
    private var zigZag: ZigZag?
    /// Up to when heights have been summed.
    private var summedUntil: Double?
    private var cost = GradeCost()

    /// The least cadence of a run in steps/s; below it somebody walks, at another cost.
    private static let leastRunningCadence = 2.2
    /// The part of the distance of which the altitude must be known.
    private static let leastCoverage = 0.9

    /// Drops the heights summed so far: the segment begins later than was presumed.
    mutating func restartHeights() { (startHeight, zigZag, summedUntil) = (nil, nil, nil) }

    /// Adds a distance in m that was covered between two instants.
    mutating func addDistance(_ meters: Double, from start: Double, to end: Double, heights: HeightBuffer) {
        cost.add(meters, from: start, to: end) { heights.point(at: $0)?.smooth }
    }

    /// Sums the heights from `start`, the segment's, to `end`.
    mutating func sumHeights(from start: Double, to end: Double, heights: HeightBuffer, hysteresis: Double) {
        // Before `end` has passed the start, the height there may not have arrived.
        if startHeight == nil, end >= start, let first = heights.point(at: start) {
            startHeight = first.height
            zigZag = ZigZag(value: first.height, at: start)
            summedUntil = start
        }
        guard let summed = summedUntil else { return }
        for point in heights.points where point.time > summed && point.time <= end {
            zigZag?.step(point.height, at: point.time, hysteresis: hysteresis, drift: weatherDrift)
            summedUntil = point.time
        }
    }

    /// The climb of a segment; nil where its altitude is not known at both ends.
    func climb(
        of segment: Segment, from start: Double, to end: Double, heights: HeightBuffer, settings: PedometerSettings
    ) -> SegmentClimb? {
        var sum = self
        sum.sumHeights(from: start, to: end, heights: heights, hysteresis: settings.hysteresisMeters)
        guard let startHeight = sum.startHeight, let endHeight = heights.point(at: end)?.height, var zigZag = sum.zigZag else {
            return nil
        }
        zigZag.step(endHeight, at: end, hysteresis: settings.hysteresisMeters, drift: weatherDrift)
        let sums = zigZag.sums(drift: weatherDrift)
        var climb = SegmentClimb(ascent: sums.rise, descent: sums.fall, netClimb: endHeight - startHeight)
        let size = abs(climb.netClimb)
        if size >= settings.hillMinimumMeters, size >= settings.hillShare * (climb.ascent + climb.descent) {
            climb.hill = climb.netClimb > 0 ? .up : .down
        }
        guard let distance = segment.distance, distance > 0 else { return climb }
        climb.averageGrade = climb.netClimb / distance
        var cost = sum.cost
        cost.finish(at: heights.point(at: end)?.smooth)
        guard let mean = cost.meanCost, cost.known >= Self.leastCoverage * distance else { return climb }
        climb.energy = mean * distance / 1_000
        if let pace = segment.averagePace, let cadence = segment.cadence, cadence >= Self.leastRunningCadence {
            climb.gradeAdjustedPace = pace * GradeCost.level / mean
        }
        return climb
    }
}
