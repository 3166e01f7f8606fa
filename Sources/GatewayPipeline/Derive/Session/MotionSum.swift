package import TelemetryModel

/// `session/motion`: what is counted from single samples of motion.
package struct MotionSum: SessionSum {
    private var repetitions = 0
    private var sets = 0
    private var punches = 0
    private var peakPunch: Double?
    private var poses = 0
    private var longestHold: Double?
    private var strokes = StrokeCount()

    /// Nothing.
    package init() {}

    /// `device-motion`.
    package static let stream = StreamName.deviceMotion

    /// Sets, punches, poses and strokes. Another kind needs a line here, its counts in the sum, and its fields in the kind.
    package static let sources: [SessionSource<Self>] = [
        SessionSource(RepetitionSet.self, from: { set, _ in set.start }) { set, sum in
            sum.sets = 1
            sum.repetitions = set.repetitions
        },
        SessionSource(Punch.self) { punch, sum in
            sum.punches = 1
            sum.peakPunch = punch.peakAcceleration
        },
        SessionSource(PoseHold.self, from: { hold, _ in hold.start }) { hold, sum in
            sum.poses = 1
            sum.longestHold = hold.end - hold.start
        },
        SessionSource(Stroke.self, ofItsStream: true) { stroke, sum in sum.strokes = StrokeCount(stroke) },
    ]

    /// Adds another sum.
    package mutating func add(_ other: Self) {
        repetitions.addSaturated(other.repetitions)
        sets.addSaturated(other.sets)
        punches.addSaturated(other.punches)
        peakPunch = peakPunch.greatest(other.peakPunch)
        poses.addSaturated(other.poses)
        longestHold = longestHold.greatest(other.longestHold)
        strokes.add(other.strokes)
    }

    /// `session/motion`.
    package static let kind = DerivedKind<SessionReport<Self>>.session(
        "session/motion",
        "The sets, punches and poses of a session, and the strokes that are counted from `device-motion`; retained until it has ended.",
        fields: [
            .integer("repetitions", "The sum of the repetitions of its `set`s.", \.sum.repetitions),
            .integer("sets", "The number of `set`s that have ended.", \.sum.sets),
            .integer("punches", "The number of `punch`es.", \.sum.punches),
            .number("peakPunch", unit: "G", "The greatest acceleration of them; null without any.", \.sum.peakPunch),
            .integer("poses", "The number of `pose-hold`s.", \.sum.poses),
            .seconds("longestHold", "The longest of them; null without any.", \.sum.longestHold),
            .integer("forehands", "The number of forehands from `device-motion`.", \.sum.strokes.forehands),
            .integer("backhands", "The number of backhands from `device-motion`.", \.sum.strokes.backhands),
        ])
}

extension MotionSum {
    private enum CodingKeys: String, CodingKey { case repetitions, sets, punches, peakPunch, poses, longestHold, strokes }

    /// Reads a sum; what is not written is 0.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        repetitions = try container.decodeIfPresent(Int.self, forKey: .repetitions) ?? 0
        sets = try container.decodeIfPresent(Int.self, forKey: .sets) ?? 0
        punches = try container.decodeIfPresent(Int.self, forKey: .punches) ?? 0
        peakPunch = try container.decodeIfPresent(Double.self, forKey: .peakPunch)
        poses = try container.decodeIfPresent(Int.self, forKey: .poses) ?? 0
        longestHold = try container.decodeIfPresent(Double.self, forKey: .longestHold)
        strokes = try container.decodeIfPresent(StrokeCount.self, forKey: .strokes) ?? StrokeCount()
    }

    /// Writes the fields that are not 0.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(repetitions, unless: 0, forKey: .repetitions)
        try container.encode(sets, unless: 0, forKey: .sets)
        try container.encode(punches, unless: 0, forKey: .punches)
        try container.encodeIfPresent(peakPunch, forKey: .peakPunch)
        try container.encode(poses, unless: 0, forKey: .poses)
        try container.encodeIfPresent(longestHold, forKey: .longestHold)
        try container.encode(strokes, unless: StrokeCount(), forKey: .strokes)
    }
}
