import TelemetryModel

extension Dyskinesia: DerivedBody {
    /// `dyskinesia`.
    package static let kind = DerivedKind<Self>(
        "dyskinesia", retained: false,
        "How likely dyskinesia was in a minute, as Apple found it. For research: never a diagnosis.",
        fields: [
            .init("start", type: .instant, "The start of the minute, on the wall clock.") { .instant($0.start) },
            .init("end", type: .instant, "Its end.") { .instant($0.end) },
            .init("unlikely", type: .number, "The share of the minute in which it was unlikely.") { .number($0.unlikely) },
            .init("likely", type: .number, "The share in which it was likely.") { .number($0.likely) },
            .init("method", values: ["apple"], "How it was found.") { _ in .text("apple") },
            .init("notice", values: ["research"], "What it is for.") { _ in .text("research") },
            .init("revision", type: .number, "How often this minute was published before with other values.") {
                .integer($0.revision)
            },
        ],
        view: KindView(
            .tremor, precedence: 1,
            row: { fields in
                fields.number("likely").map { Phrase($0 > 0 ? "dyskinesia likely in \($0.percent)" : "no dyskinesia") }
            },
            event: { fields in
                guard let likely = fields.number("likely"), likely > 0, fields.before?["likely"]?.number ?? 0 <= 0 else {
                    return nil
                }
                return Phrase("dyskinesia likely in \(likely.percent)", .notice)
            },
            cell: .init(.tremor) { fields in
                fields.number("likely").map { [.text("dyskinesia ", .quiet), .text($0.percent)] } ?? []
            },
            details: [
                .facts(Tremor.heading) { fields in
                    guard let likely = fields.number("likely") else { return [] }
                    return [("dyskinesia", [.text("likely in \(likely.percent) of a minute")]), Tremor.minute(fields)]
                }
            ])
    ) { "\($0.start.microseconds):\($0.revision)" }
}
