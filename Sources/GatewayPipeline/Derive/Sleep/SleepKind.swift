import TelemetryModel

extension SleepPeriod: DerivedBody {
    /// `sleep`.
    package static let kind = DerivedKind<Self>(
        "sleep", retained: false,
        "The longest rest between two noons, and the sleep in it. Not verified against polysomnography.",
        fields: [
            .init("duration", unit: "s", "From start to end.") { .number($0.duration) },
            .init("sleepDuration", unit: "s", "How long it is sleep by `method`.") { .number($0.sleepDuration) },
            .init("efficiency", type: .number, "The share of the period that is sleep, 0 to 1.") {
                .number(($0.efficiency * 10_000).rounded() / 10_000)
            },
            .init("wakeAfterOnset", unit: "s", "The rest of the period.") { .number($0.wakeAfterOnset) },
            .init("awakenings", type: .number, "Interruptions of more than 5 min.") { .integer($0.awakenings) },
            .init("start", type: .instant, "Its onset.") { .seconds($0.start.seconds) },
            .init("end", type: .instant, "Its end.") { .seconds($0.end.seconds) },
            .init(
                "coverage", type: .number,
                "The share of the period of which there are samples, 0 to 1. Not calibrated: it says nothing of how right the period is."
            ) { .number($0.coverage) },
            .init("nonWear", unit: "s", "How much of the period the device was not worn.") { .number($0.nonWear) },
            .init(
                "method", values: SleepMethod.allCases.map(\.rawValue),
                "How sleep and wakefulness are distinguished in the period: by the angle of the forearm, or by counts per minute."
            ) { .text($0.method.rawValue) },
            .init("revision", type: .number, "How often this night was published before with other values.") {
                .integer($0.revision)
            },
        ],
        view: KindView(
            .night, precedence: 2, row: phrase, event: phrase,
            cell: .init(.sleep, label: "slept ") { fields in
                guard let asleep = fields.number("sleepDuration"), let duration = fields.number("duration") else { return [] }
                return [.text(asleep.hours), .text(" / \(duration.hours)", .quiet)]
            },
            details: [
                .facts("Last night and day") { fields in
                    guard let asleep = fields.number("sleepDuration"), let duration = fields.number("duration") else { return [] }
                    var span: [ShownPart] = []
                    if let start = fields.number("start"), let end = fields.number("end") {
                        span = [.clock(start), .text(" to "), .clock(end)]
                    }
                    return [
                        ("asleep", [.text("\(asleep.hours) of \(duration.hours)")]), ("from", span),
                        ("awakenings", fields.integer("awakenings").map { [.text("\($0)")] } ?? []),
                    ]
                }
            ],
            episode: .init("Nights", phrase))
    ) { "\($0.revision)" }

    private static let phrase: KindView.Text = { fields in
        guard let asleep = fields.number("sleepDuration"), let duration = fields.number("duration") else { return nil }
        return Phrase(list: ["slept \(asleep.hours) of \(duration.hours)", fields.counted("awakenings", "awakening")], .good)
    }
}

extension ViewColumn {
    /// The last night, else how long the device was worn.
    static let sleep = ViewColumn(
        "sleep", "Sleep", hint: "Of the last recorded night: asleep, and from onset to end", isNumber: true, place: 8)
}
