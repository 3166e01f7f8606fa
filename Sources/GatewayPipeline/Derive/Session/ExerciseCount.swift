import TelemetryModel

/// What is counted in the samples of one stream of motion: sets, punches and strokes.
struct ExerciseCount: SparseValue {
    @Sparse private(set) var repetitions = 0
    @Sparse private(set) var sets = 0
    @Sparse private(set) var punches = 0
    private(set) var peakPunch: Double?
    @Sparse private(set) var strokes = StrokeCount()

    init() {}

    init(_ set: RepetitionSet) {
        sets = 1
        repetitions = set.repetitions
    }

    init(_ punch: Punch) {
        punches = 1
        peakPunch = punch.peakAcceleration
    }

    init(_ stroke: Stroke) { strokes = StrokeCount(stroke) }

    mutating func add(_ other: Self) {
        repetitions.addSaturated(other.repetitions)
        sets.addSaturated(other.sets)
        punches.addSaturated(other.punches)
        peakPunch = peakPunch.greatest(other.peakPunch)
        strokes.add(other.strokes)
    }
}

/// A sum with sets, punches and strokes. A device that sends two streams of motion has each of them once from each stream, in
/// another lane: a part takes those of its own streams, so that only one lane publishes it.
protocol ExerciseSum: SessionSum {
    /// What is counted from its streams.
    var exercise: ExerciseCount { get set }
}

extension ExerciseSum {
    /// Sets, punches and strokes that were derived from `streams`.
    static func exerciseSources(of streams: [StreamName]) -> [SessionSource<Self>] {
        [
            SessionSource(RepetitionSet.self, of: streams, from: { set, _ in set.start }) { $1.exercise = ExerciseCount($0) },
            SessionSource(Punch.self, of: streams) { $1.exercise = ExerciseCount($0) },
            SessionSource(Stroke.self, of: streams) { $1.exercise = ExerciseCount($0) },
        ]
    }

    /// The fields of the counts, for the kind of the part.
    static var exerciseFields: [DerivedField<SessionReport<Self>>] {
        [
            .integer("repetitions", "The sum of the repetitions of its `set`s.", \.sum.exercise.repetitions),
            .integer("sets", "The number of `set`s that have ended.", \.sum.exercise.sets),
            .integer("punches", "The number of `punch`es.", \.sum.exercise.punches),
            .number("peakPunch", unit: "G", "The greatest acceleration of them; null without any.", \.sum.exercise.peakPunch),
            .integer("forehands", "The number of forehands.", \.sum.exercise.strokes.forehands),
            .integer("backhands", "The number of backhands.", \.sum.exercise.strokes.backhands),
        ]
    }
}
