import TelemetryModel

extension Repetition: DerivedBody {
    /// `repetition`.
    package static let kind = DerivedKind<Self>(
        "repetition", retained: true, perStream: true,
        "How many repetitions of an exercise a set has so far; the exercise need not be known.",
        fields: [
            .integer("count", "The repetitions of this set so far.", \.count),
            .integer("set", "The number of the set since the workout began, from 1.", \.set),
            .instant("lastAt", "The latest repetition.", \.lastAt),
            .number("period", unit: "s", "The time from one repetition to the next.", \.period),
            .choice("signal", "The signal that they are counted in.", \.signal),
            .choice("exercise", "The exercise; null where it is not recognized.", \.exercise),
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
            .instant("start", "The first repetition.", \.start),
            .instant("end", "The last repetition.", \.end),
            .integer(
                "set", "The number of the set since the workout began, from 1; in recorded acceleration since the UTC day began.",
                \.set),
            .integer("repetitions", "How many there were.", \.repetitions),
            .number("period", unit: "s", "The time from one repetition to the next, by the autocorrelation.", \.period),
            .number(
                "periodSpread", "The standard deviation of the measured times as a part of their mean; null for too few.",
                \.periodSpread),
            .number(
                "rangeOfMotion", unit: "rad",
                "The angle through which the direction of gravity turns, from its 5th to its 95th percentile; null where that is not measured.",
                \.rangeOfMotion),
            .choice("signal", "The signal that they were counted in.", \.signal),
            .number("quality01", "How periodic the signal was: the height of its autocorrelation, 0 to 1.", \.quality01),
            .number(
                "confidence",
                "The probability that it was exercise and that the count is within one of the true one; null where it is not calibrated: push-ups.",
                \.confidence),
            .choice("exercise", "The exercise; null where it is not recognized.", \.exercise),
            .integer("revision", "How often this set was published before with other values.", \.revision),
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
