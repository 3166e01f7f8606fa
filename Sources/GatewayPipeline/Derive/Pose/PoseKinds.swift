import TelemetryModel

extension Pose: DerivedBody {
    /// `pose`.
    package static let kind = DerivedKind<Self>(
        "pose", retained: true, "The pose that is held, by the direction of gravity.",
        fields: [
            .init("pose", type: .text, "The name of its template; null between poses.") { .text($0.pose) },
            .init("since", type: .instant, "When the hold began; null between poses.") { .instant($0.since) },
            .init("deviation", unit: "rad", "The angle from gravity to the template; null between poses.") {
                .number($0.deviation)
            },
            .init(
                "sway", unit: "rad", "The RMS angle from the hold's own mean over the last 10 s; null between poses."
            ) { .number($0.sway) },
        ],
        view: KindView(
            .exercise, precedence: 1,
            // Between poses the device may do anything else.
            row: { fields in
                guard let pose = fields.text("pose") else { return nil }
                let time = fields.number("since").map { " for \(max(0, fields.now - $0).text(0)) s" } ?? ""
                return Phrase(list: ["holds \(pose)\(time)", fields.number("sway").map { "sway \($0.exactDegrees)" }], .good)
            },
            cell: .init(.exercise) { fields in
                guard fields.isCurrent, let pose = fields.text("pose") else { return [] }
                let time: [ShownPart] = fields.number("since").map { [.text(" "), .since($0)] } ?? []
                return [.text(pose, .strong)] + time + [.text(" sway \(fields.number("sway")?.exactDegrees ?? "–")", .quiet)]
            },
            details: [.plot(["sway"])])
    ) { $0.pose ?? "" }
}

extension PoseHold: DerivedBody {
    /// `pose-hold`.
    package static let kind = DerivedKind<Self>(
        "pose-hold", retained: false, "A pose that was held, and how smooth the way there was.",
        fields: [
            .init("pose", type: .text, "The name of its template.") { .text($0.pose) },
            .init("start", type: .instant, "The first sample of the hold.") { .instant($0.start) },
            .init("end", type: .instant, "The last one.") { .instant($0.end) },
            .init("duration", unit: "s", "From the first to the last.") { .seconds($0.end - $0.start) },
            .init("sway", unit: "rad", "The RMS angle from the hold's own mean.") { .number($0.sway) },
            .init("greatest", unit: "rad", "The greatest angle from the template.") { .number($0.greatest) },
            .init(
                "grace", type: .number,
                "The smoothness of the way there, its spectral arc length: -1.4 at best; null where it was not seen."
            ) { .number($0.grace) },
            .init("transition", unit: "s", "How long the way there took; null where it was not seen.") {
                .seconds($0.transition)
            },
        ],
        view: KindView(
            .exercise, row: phrase, event: phrase,
            cell: .init(.exercise) { [.text(($0.tallies["pose"] ?? 0).counted("pose"))] }, tallies: [.messages("pose")],
            episode: .init("Poses", phrase))
    ) { "\($0.pose):\($0.start.microseconds)" }

    private static let phrase: KindView.Text = { fields in
        let held = "held \(fields.text("pose") ?? "a pose") for \(fields["duration", 0])"
        return Phrase(list: [held, fields.number("sway").map { "sway \($0.exactDegrees)" }], .good)
    }
}
