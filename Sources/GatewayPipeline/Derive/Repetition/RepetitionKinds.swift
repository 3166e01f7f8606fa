import TelemetryModel

extension Repetition: DerivedBody {
    /// `repetition`.
    package static let kind = DerivedKind<Self>(
        "repetition", retained: true, perStream: true,
        "How many repetitions of an exercise a set has so far; the exercise need not be known.",
        fields: [
            .init("count", type: .number, "The repetitions of this set so far.") { .integer($0.count) },
            .init("set", type: .number, "The number of the set since the workout began, from 1.") { .integer($0.set) },
            .init("lastAt", type: .instant, "The latest repetition.") { .instant($0.lastAt) },
            .init("period", unit: "s", "The time from one repetition to the next.") { .number($0.period) },
            .init("signal", values: RepetitionSignal.allCases.map(\.rawValue), "The signal that they are counted in.") {
                .text($0.signal.rawValue)
            },
            .init(
                "exercise", values: Exercise.allCases.map(\.rawValue), "The exercise; null where it is not recognized."
            ) { .text($0.exercise?.rawValue) },
        ],
        view: KindView(
            .exercise, precedence: 2,
            row: { fields in
                Phrase("\((fields.integer("count") ?? 0).counted("repetition")), set \(fields.integer("set") ?? 0)", .good)
            },
            cell: .init(.exercise) { fields in
                guard fields.isCurrent else { return [] }
                return [.text("\(fields.integer("count") ?? 0) ×", .strong), .text(" set \(fields.integer("set") ?? 0)", .quiet)]
            },
            details: [.plot(["count", "set"])])
    ) { "\($0.set):\($0.count):\($0.exercise?.rawValue ?? "")" }
}

extension RepetitionSet: DerivedBody {
    /// `set`.
    package static let kind = DerivedKind<Self>(
        "set", retained: false, perStream: true, "One set of repetitions, after it has ended.",
        fields: [
            .init("start", type: .instant, "The first repetition.") { .instant($0.start) },
            .init("end", type: .instant, "The last repetition.") { .instant($0.end) },
            .init(
                "set", type: .number,
                "The number of the set since the workout began, from 1; in recorded acceleration since the UTC day began."
            ) {
                .integer($0.set)
            },
            .init("repetitions", type: .number, "How many there were.") { .integer($0.repetitions) },
            .init("period", unit: "s", "The time from one repetition to the next, by the autocorrelation.") {
                .number($0.period)
            },
            .init(
                "periodSpread", type: .number,
                "The standard deviation of the measured times as a part of their mean; null for too few."
            ) { .number($0.periodSpread) },
            .init(
                "rangeOfMotion", unit: "rad",
                "The angle through which the direction of gravity turns, from its 5th to its 95th percentile; null where that is not measured."
            ) { .number($0.rangeOfMotion) },
            .init("signal", values: RepetitionSignal.allCases.map(\.rawValue), "The signal that they were counted in.") {
                .text($0.signal.rawValue)
            },
            .init("quality01", type: .number, "How periodic the signal was: the height of its autocorrelation, 0 to 1.") {
                .number($0.quality01)
            },
            .init(
                "confidence", type: .number,
                "The probability that it was exercise and that the count is within one of the true one; null where it is not calibrated: push-ups."
            ) { .number($0.confidence) },
            .init(
                "exercise", values: Exercise.allCases.map(\.rawValue), "The exercise; null where it is not recognized."
            ) { .text($0.exercise?.rawValue) },
            .init("revision", type: .number, "How often this set was published before with other values.") {
                .integer($0.revision)
            },
        ],
        view: KindView(
            .exercise, row: phrase, event: phrase,
            cell: .init(.exercise) { fields in
                let sets = fields.tallies["set"] ?? 0
                return [.text("\(fields.tallies["repetition"] ?? 0) × in \(sets.counted("set"))")]
            },
            details: [.messages(20, with: ["set", "repetitions", "start", "end"])],
            tallies: [.messages("set"), .sum("repetitions", "repetition")], episode: .init("Sets", phrase))
    ) { "\($0.start.microseconds):\($0.set):\($0.exercise?.rawValue ?? "")\($0.revision > 0 ? ":\($0.revision)" : "")" }

    private static let phrase: KindView.Text = { fields in
        let count = max(0, fields.integer("repetitions") ?? 0).counted(fields.words("exercise") ?? "repetition")
        return Phrase("set of \(count), \(fields["period", 1]) each", .good)
    }
}

extension ViewColumn {
    /// The set that is under way, else the pose that is held, else what there was.
    static let exercise = ViewColumn("exercise", "Exercise", place: 7)
}
