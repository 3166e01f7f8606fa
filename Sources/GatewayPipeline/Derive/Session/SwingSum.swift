package import TelemetryModel

/// `session/swing`: swings and impacts, and the sets, punches and strokes from batches.
package struct SwingSum: ExerciseSum {
    @Sparse var exercise = ExerciseCount()
    @Sparse private var hits = 0
    @Sparse private var misses = 0
    @Sparse private var impacts = 0
    private var bestTimeToContact: Double?
    @Sparse private var timeToContact = 0.0
    private var peakAcceleration: Double?
    private var bestBatSpeed: Double?

    /// Nothing.
    package init() {}

    /// `batched-imu`.
    package static let stream = StreamName.batchedIMU

    /// Swings, impacts, and sets, punches and strokes. Sets of a recording are found in the lane of the batches.
    package static let sources: [SessionSource<Self>] =
        exerciseSources(of: [stream, .recordedAccelerometer]) + [
            SessionSource(Swing.self) { swing, sum in
                sum.hits = swing.contact ? 1 : 0
                sum.misses = swing.contact ? 0 : 1
                sum.bestTimeToContact = swing.timeToContact
                sum.timeToContact = swing.timeToContact ?? 0
                sum.peakAcceleration = swing.peakAcceleration
                sum.bestBatSpeed = swing.batSpeed
            },
            SessionSource(Impact.self) { impact, sum in
                sum.impacts = 1
                sum.peakAcceleration = impact.peakAcceleration
            },
        ]

    /// Adds another sum.
    package mutating func add(_ other: Self) {
        hits.addSaturated(other.hits)
        misses.addSaturated(other.misses)
        impacts.addSaturated(other.impacts)
        exercise.add(other.exercise)
        bestTimeToContact = bestTimeToContact.least(other.bestTimeToContact)
        timeToContact += other.timeToContact
        peakAcceleration = peakAcceleration.greatest(other.peakAcceleration)
        bestBatSpeed = bestBatSpeed.greatest(other.bestBatSpeed)
    }

    /// `session/swing`.
    package static let kind = DerivedKind<SessionReport<Self>>.session(
        "session/swing",
        "The swings of a session, and the sets, punches and strokes that are counted from `batched-imu`, sets from `recorded-accelerometer` too; retained until it has ended.",
        fields: [
            .integer("hits", "The number of `swing`s with contact.", \.sum.hits),
            .integer("misses", "The number of `swing`s without.", \.sum.misses),
            .integer("impacts", "The number of `impact`s.", \.sum.impacts),
            .seconds("bestTimeToContact", "The shortest time to contact; null without a hit.", \.sum.bestTimeToContact),
            .seconds("meanTimeToContact", "The mean time to contact; null without a hit.") {
                $0.sum.hits > 0 ? $0.sum.timeToContact / Double($0.sum.hits) : nil
            },
            .number(
                "peakAcceleration", unit: "G", "The greatest acceleration of swings and impacts; null without any.",
                \.sum.peakAcceleration),
            .number(
                "bestBatSpeed", unit: "m/s", "The greatest speed of the bat; null unless the bat is described.",
                \.sum.bestBatSpeed),
        ] + exerciseFields)
}
