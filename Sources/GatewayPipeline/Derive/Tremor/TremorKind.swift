import TelemetryModel

extension Tremor: DerivedBody {
    /// `tremor`.
    package static let kind = DerivedKind<Self>(
        "tremor", retained: false, perStream: true, "How much of a minute a wrist trembled. For research: never a diagnosis.",
        fields: [
            .instant(
                "start",
                "The start of the minute: on the device's clock, or on the wall clock for recorded acceleration and Apple's results.",
                \.start),
            .instant("end", "Its end.", \.end),
            .number(
                "unknown",
                "The share of the minute for which nothing is known, or whose motion may be brushing teeth as well as tremor.",
                \.unknown),
            .number("none", "The share without tremor.", \.none),
            .number(
                "slight", "The share with a tremor of less than 1 cm from peak to peak; Apple's grades are its own.", \.slight),
            .number("mild", "The share with a tremor of 1 to 3 cm.", \.mild),
            .number("moderate", "The share with a tremor of 3 to 10 cm.", \.moderate),
            .number("severe", "The share with a tremor of more than 10 cm; `strong` of Apple's.", \.severe),
            .number("rest", "The share with tremor while the arm is at rest; null for Apple's results.", \.rest),
            .number("action", "The share with tremor while the arm moves besides; null like `rest`.", \.action),
            .number(
                "frequency", unit: "Hz", "The mean frequency of the tremor; null without tremor, and for Apple's results.",
                \.frequency),
            .number("amplitude", unit: "cm", "Its mean amplitude, from peak to peak; null like the frequency.", \.amplitude),
            .choice(
                "method", "How it was found: by the spectrum of the acceleration, or by Apple's movement disorder manager.",
                \.method),
            .text("notice", values: ["research"], "What it is for.") { _ in "research" },
            .number("coverage", "The share of the minute that is known, 0 to 1.", \.coverage),
            .integer("revision", "How often this minute was published before with other values.", \.revision),
        ],
        view: KindView(
            .tremor, precedence: 1,
            row: { fields in share(fields).map { Phrase(text($0, fields)) } },
            // Each minute is in the drawing; news is only where tremor begins.
            event: { fields in
                guard let share = share(fields), share > 0, !hadTremor(fields) else { return nil }
                return Phrase(text(share, fields), .notice)
            },
            cell: .init(.tremor, label: "tremor ") { fields in
                share(fields).map { [.text($0.percent), .text(grade(fields).map { " \($0)" } ?? "", .quiet)] } ?? []
            },
            details: [
                .facts(heading) { fields in
                    guard let share = share(fields) else { return [] }
                    return [
                        ("tremor", [.text("\(share.percent) of a minute" + (grade(fields).map { ", mostly \($0)" } ?? ""))]),
                        ("arm at rest", fields.number("rest").map { [.text($0.percent)] } ?? []),
                        ("arm moving", fields.number("action").map { [.text($0.percent)] } ?? []),
                        ("frequency", fields.measure("frequency", 1).map { [.text($0)] } ?? []),
                        ("found by", [.text(finders[fields.text("method") ?? ""] ?? "")]), minute(fields),
                    ]
                }, .plot(grades + ["unknown"]),
            ])
    ) { "\($0.start.microseconds):\($0.revision)\($0.method == .apple ? ":apple" : "")" }

    /// The heading that it shares with dyskinesia.
    static let heading = "Tremor, for research"
    private static let grades = ["slight", "mild", "moderate", "severe"]
    private static let finders = [
        TremorMethod.spectral.rawValue: "the gateway", TremorMethod.apple.rawValue: "Apple's movement disorder manager",
    ]

    /// The share of a minute with tremor; nil where no grade has one.
    private static func share(_ fields: ShownFields) -> Double? {
        let shares = grades.compactMap(fields.number)
        return shares.isEmpty ? nil : shares.reduce(0, +)
    }

    /// Whether the message before was of a minute with tremor.
    private static func hadTremor(_ fields: ShownFields) -> Bool {
        grades.contains { fields.before?[$0]?.number ?? 0 > 0 }
    }

    /// The grade of most of it; nil without tremor.
    private static func grade(_ fields: ShownFields) -> String? {
        guard let share = share(fields), share > 0 else { return nil }
        return grades.max { fields.number($0) ?? 0 < fields.number($1) ?? 0 }
    }

    private static func text(_ share: Double, _ fields: ShownFields) -> String {
        guard let grade = grade(fields) else { return "no tremor" }
        return Phrase(list: ["tremor in \(share.percent) of a minute", "mostly \(grade)", fields.measure("frequency", 1)]).text
    }

    /// The minute that a message is about, as a fact.
    static func minute(_ fields: ShownFields) -> (name: String, parts: [ShownPart]) {
        ("minute", (fields.number("end") ?? fields.at).map { [.text("until "), .moment($0)] } ?? [])
    }
}

extension ViewColumn {
    /// The latest minute of tremor, and of dyskinesia.
    static let tremor = ViewColumn(
        "tremor", "Tremor", hint: "The share of the latest minute with tremor, and most of its grade. For research",
        isNumber: true, place: 9)
}
