package import TelemetryModel

/// `session/distance`: segments, hills and pauses.
package struct DistanceSum: SessionSum {
    @Sparse private var segments = 0
    @Sparse private var ended = Totals()
    /// The greatest totals of `pace`, in which the segment that has not ended is included.
    @Sparse private var latest = Totals()
    @Sparse private var pauses = 0
    private var ascent: Double?
    private var descent: Double?
    private var energy: Double?
    /// The sum of grade-adjusted paces, each times its distance, and of these distances.
    @Sparse private var adjustedTime = 0.0
    @Sparse private var adjustedDistance = 0.0
    @Sparse private var hills = 0

    fileprivate struct Totals: SparseValue {
        @Sparse var steps = 0
        var distance: Double?
        @Sparse var movingTime = 0.0

        var movingPace: Double? { distance.flatMap { $0 > 0 ? movingTime / $0 : nil } }
    }

    /// Nothing.
    package init() {}

    /// `pedometer`.
    package static let stream = StreamName.pedometer

    /// Segments, hills and paces.
    package static let sources: [SessionSource<Self>] = [
        SessionSource(Segment.self, from: { segment, _ in segment.start }) { segment, sum in
            sum.segments = 1
            sum.ended = Totals(
                steps: segment.steps.wholeCount, distance: segment.distance, movingTime: segment.duration)
            sum.ascent = segment.climb?.ascent
            sum.descent = segment.climb?.descent
            sum.energy = segment.climb?.energy
            if let pace = segment.climb?.gradeAdjustedPace, let distance = segment.distance {
                sum.adjustedTime = pace * distance
                sum.adjustedDistance = distance
            }
        },
        SessionSource(HillAttempt.self, from: { hill, _ in hill.segment.start }) { _, sum in sum.hills = 1 },
        SessionSource(Pace.self, from: { pace, time in time - pace.totals.elapsedTime }) { pace, sum in
            sum.latest = Totals(
                steps: pace.totals.steps.wholeCount, distance: pace.totals.distance, movingTime: pace.totals.movingTime)
            sum.pauses = pace.state == .paused && pace.previous != .paused && pace.cause != .workout ? 1 : 0
        },
    ]

    /// Adds another sum.
    package mutating func add(_ other: Self) {
        segments.addSaturated(other.segments)
        ended.steps.addSaturated(other.ended.steps)
        ended.distance = ended.distance.adding(other.ended.distance)
        ended.movingTime += other.ended.movingTime
        latest.steps = max(latest.steps, other.latest.steps)
        latest.distance = latest.distance.greatest(other.latest.distance)
        latest.movingTime = max(latest.movingTime, other.latest.movingTime)
        pauses.addSaturated(other.pauses)
        ascent = ascent.adding(other.ascent)
        descent = descent.adding(other.descent)
        energy = energy.adding(other.energy)
        adjustedTime += other.adjustedTime
        adjustedDistance += other.adjustedDistance
        hills.addSaturated(other.hills)
    }

    /// The part of the distance of which the grade-adjusted pace must be known.
    private static let leastAdjusted = 0.9

    /// The grade-adjusted pace of all segments.
    private var gradeAdjustedPace: Double? {
        guard adjustedDistance > 0, adjustedDistance >= Self.leastAdjusted * (ended.distance ?? 0) else { return nil }
        return adjustedTime / adjustedDistance
    }

    /// While the session goes on, the segment that has not ended counts.
    private func totals(_ session: Session) -> Totals {
        guard session.state != .ended else { return ended }
        return Totals(
            steps: max(ended.steps, latest.steps), distance: ended.distance.greatest(latest.distance),
            movingTime: max(ended.movingTime, latest.movingTime))
    }

    /// `session/distance`.
    package static let kind = DerivedKind<SessionReport<Self>>.session(
        "session/distance",
        "The segments of a session, and while it goes on what `pace` has counted since the last one; retained until it has ended.",
        fields: [
            .number("distance", unit: "m", "The sum of their distances; null where none was measured.") {
                $0.sum.totals($0.session).distance
            },
            .integer("steps", "The sum of their steps.") { $0.sum.totals($0.session).steps },
            .seconds("movingTime", "The sum of their durations.") { $0.sum.totals($0.session).movingTime },
            .number("movingPace", unit: "s/m", "Moving time over distance; null without a distance.") {
                $0.sum.totals($0.session).movingPace
            },
            .integer("pauses", "How often `pace` became `paused`; that by the workout is none.", \.sum.pauses),
            .integer("segments", "The number of `segment`s that have ended.", \.sum.segments),
            .number("ascent", unit: "m", "The sum of their ascents; null without altitude.", \.sum.ascent),
            .number("descent", unit: "m", "The sum of their descents; null without altitude.", \.sum.descent),
            .number(
                "gradeAdjustedPace", unit: "s/m",
                "The mean of their grade-adjusted paces over distance; null where less than 90 % of it has one.",
                \.sum.gradeAdjustedPace),
            .number("energy", unit: "kJ/kg", "The sum of their energies; null where none has one.", \.sum.energy),
            .integer("hills", "The number of `hill`s.", \.sum.hills),
        ])
}
