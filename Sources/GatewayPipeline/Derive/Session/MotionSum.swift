package import TelemetryModel

/// `session/motion`: what is counted from single samples of motion.
package struct MotionSum: ExerciseSum {
    @Sparse var exercise = ExerciseCount()
    @Sparse private var poses = 0
    private var longestHold: Double?

    /// Nothing.
    package init() {}

    /// `device-motion`.
    package static let stream = StreamName.deviceMotion

    /// Sets, punches, poses and strokes. Another kind needs a line here, its counts in the sum, and its fields in the kind.
    package static let sources: [SessionSource<Self>] =
        exerciseSources(of: [stream]) + [
            SessionSource(PoseHold.self, from: { hold, _ in hold.start }) { hold, sum in
                sum.poses = 1
                sum.longestHold = hold.end - hold.start
            }
        ]

    /// Adds another sum.
    package mutating func add(_ other: Self) {
        exercise.add(other.exercise)
        poses.addSaturated(other.poses)
        longestHold = longestHold.greatest(other.longestHold)
    }

    /// `session/motion`.
    package static let kind = DerivedKind<SessionReport<Self>>.session(
        "session/motion",
        "The sets, punches, poses and strokes of a session that are counted from `device-motion`; retained until it has ended.",
        fields: exerciseFields + [
            .integer("poses", "The number of `pose-hold`s.", \.sum.poses),
            .seconds("longestHold", "The longest of them; null without any.", \.sum.longestHold),
        ])
}
