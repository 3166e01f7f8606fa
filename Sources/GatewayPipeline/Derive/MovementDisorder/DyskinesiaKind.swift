import TelemetryModel

extension Dyskinesia: DerivedBody {
    /// `dyskinesia`.
    package static let kind = DerivedKind<Self>(
        "dyskinesia", retained: false,
        "How likely dyskinesia was in a minute, as Apple found it. For research: never a diagnosis.",
        fields: [
            .instant("start", "The start of the minute, on the wall clock.", \.start),
            .instant("end", "Its end.", \.end),
            .number("unlikely", "The share of the minute in which it was unlikely.", \.unlikely),
            .number("likely", "The share in which it was likely.", \.likely),
            .text("method", values: ["apple"], "How it was found.") { _ in "apple" },
            .text("notice", values: ["research"], "What it is for.") { _ in "research" },
            .integer("revision", "How often this minute was published before with other values.", \.revision),
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
