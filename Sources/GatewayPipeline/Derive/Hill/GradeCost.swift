/// What running costs on the grades of a distance, in steps of 20 m (Minetti and others 2002, doi:10.1152/japplphysiol.01177.2001).
package struct GradeCost: Sendable, Equatable, Codable {
    /// On level ground, in J for each kg and metre.
    package static let level = 3.6
    private static let stepMeters = 20.0
    /// The steepest grade that was measured.
    private static let steepest = 0.45
    /// The fastest in m/s, and the longest in s, that a distance is split into steps.
    private static let (fastest, longest) = (12.5, 300.0)

    /// The distance in m of which the altitude is known.
    private(set) var known = 0.0
    private var joules = 0.0
    /// The step that has not ended: its height at the start and its distance.
    private var stepHeight: Double?
    private var stepDistance = 0.0
    private var lastGrade = 0.0

    /// The cost in J for each kg and metre at a grade, the tangent of the slope.
    package static func cost(grade: Double) -> Double {
        let i = min(max(grade, -steepest), steepest)
        return ((((155.4 * i - 30.4) * i - 43.3) * i + 46.3) * i + 19.5) * i + level
    }

    /// The mean cost in J for each kg and metre; nil where no altitude is known.
    var meanCost: Double? { known > 0 ? joules / known : nil }

    /// Adds a distance in m that was covered evenly between two instants; `height` gives the height at an instant.
    mutating func add(_ meters: Double, from start: Double, to end: Double, height: (Double) -> Double?) {
        guard meters > 0 else { return }
        let seconds = end - start
        guard seconds <= Self.longest, meters <= Self.fastest * max(seconds, 1), let first = height(start), height(end) != nil
        else {
            finish(at: height(start))
            stepHeight = nil
            return
        }
        if stepHeight == nil { stepHeight = first }
        var done = 0.0
        while stepDistance + meters - done >= Self.stepMeters {
            done += Self.stepMeters - stepDistance
            stepDistance = Self.stepMeters
            endStep(at: height(start + seconds * min(1, done / meters)))
        }
        stepDistance += meters - done
    }

    /// Ends the last step, which may be shorter.
    mutating func finish(at height: Double?) {
        guard stepDistance > 0 else { return }
        // Over a few metres a grade is noise.
        endStep(at: stepDistance >= Self.stepMeters / 2 ? height : nil)
    }

    private mutating func endStep(at height: Double?) {
        if let height, let stepHeight { lastGrade = (height - stepHeight) / stepDistance }
        joules += Self.cost(grade: lastGrade) * stepDistance
        known += stepDistance
        stepHeight = height ?? stepHeight
        stepDistance = 0
    }
}
