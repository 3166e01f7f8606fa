import TelemetryModel

extension SleepPeriod: DerivedBody {
    /// `sleep`.
    package static let kind = DerivedKind<Self>(
        "sleep", retained: false,
        "The longest rest between two noons, and the sleep in it. Not verified against polysomnography.",
        fields: [
            .number("duration", unit: "s", "From start to end.", \.duration),
            .number("sleepDuration", unit: "s", "How long it is sleep by `method`.", \.sleepDuration),
            .number("efficiency", "The share of the period that is sleep, 0 to 1.") {
                ($0.efficiency * 10_000).rounded() / 10_000
            },
            .number("wakeAfterOnset", unit: "s", "The rest of the period.", \.wakeAfterOnset),
            .integer("awakenings", "Interruptions of more than 5 min.", \.awakenings),
            .time("start", "Its onset.", \.start),
            .time("end", "Its end.", \.end),
            .number(
                "coverage",
                "The share of the period of which there are samples, 0 to 1. Not calibrated: it says nothing of how right the period is.",
                \.coverage),
            .number("nonWear", unit: "s", "How much of the period the device was not worn.", \.nonWear),
            .choice(
                "method",
                "How sleep and wakefulness are distinguished in the period: by the angle of the forearm, or by counts per minute.",
                \.method),
            .integer("revision", "How often this night was published before with other values.", \.revision),
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
