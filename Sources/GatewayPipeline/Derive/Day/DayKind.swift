extension ActivityDay: DerivedBody {
    /// `day`.
    package static let kind = DerivedKind<Self>(
        "day", retained: true, kept: true,
        "The activity of one UTC day by the recorded accelerometer; published anew when late samples change it.",
        fields: [
            .text("date", "The day in UTC.", \.date),
            .number(
                "coverage",
                "The share of the day of which there are samples, 0 to 1. It says nothing of how right the figures are.",
                \.coverage),
            .number("worn", unit: "s", "How long the device was worn.", \.worn),
            .number(
                "meanENMO", unit: "mG", "The mean of max(|a| - 1 G, 0) while not known to be off; null where it is not known.",
                \.meanENMO),
            .number(
                "sedentary", unit: "s", "How long the mean of 5 s was below the threshold of light activity; null like meanENMO.",
                \.sedentary),
            .number("light", unit: "s", "The same for light activity.", \.light),
            .number("moderate", unit: "s", "The same for moderate activity.", \.moderate),
            .number("vigorous", unit: "s", "The same for vigorous activity.", \.vigorous),
            .integer(
                "estimatedSteps", "Steps by the acceleration alone; null where no samples are dense enough.", \.estimatedSteps),
            .number(
                "stepsConfidence",
                "How likely the steps are within 5 %, 0 to 1, by how regular they are; null without steps. Checked with 27 walks of three people.",
                \.stepsConfidence),
            .integer("revision", "How often this day was published before with other values.", \.revision),
        ],
        view: KindView(
            .night, precedence: 1, row: phrase, event: phrase,
            cell: .init(.sleep) { fields in fields.number("worn").map { [.text("worn ", .quiet), .text($0.hours)] } ?? [] },
            details: [
                .facts("Last night and day") { fields in
                    [
                        ("day", [.text(fields.text("date") ?? "")]),
                        ("worn on it", fields.number("worn").map { [.text($0.hours)] } ?? []),
                        ("steps", fields.integer("estimatedSteps").map { [.text("\($0)")] } ?? []),
                    ]
                }
            ],
            episode: .init("Days", phrase))
    ) { "\($0.date):\($0.revision)" }

    private static let phrase: KindView.Text = { fields in
        fields.text("date").map { date in
            let parts = ["\(date):", fields.number("worn").map { "worn \($0.hours)" }, fields.counted("estimatedSteps", "step")]
            return Phrase(parts.compactMap(\.self).joined(separator: " "))
        }
    }
}
