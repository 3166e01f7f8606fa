import TelemetryModel

extension Pose: DerivedBody {
    /// `pose`.
    package static let kind = DerivedKind<Self>(
        "pose", retained: true, "The pose that is held, by the direction of gravity.",
        fields: [
            .text("pose", "The name of its template; null between poses.", \.pose),
            .instant("since", "When the hold began; null between poses.", \.since),
            .number("deviation", unit: "rad", "The angle from gravity to the template; null between poses.", \.deviation),
            .number(
                "sway", unit: "rad", "The RMS angle from the hold's own mean over the last 10 s; null between poses.", \.sway),
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
            .text("pose", "The name of its template.", \.pose),
            .instant("start", "The first sample of the hold.", \.start),
            .instant("end", "The last one.", \.end),
            .seconds("duration", "From the first to the last.") { $0.end - $0.start },
            .number("sway", unit: "rad", "The RMS angle from the hold's own mean.", \.sway),
            .number("greatest", unit: "rad", "The greatest angle from the template.", \.greatest),
            .number(
                "grace", "The smoothness of the way there, its spectral arc length: -1.4 at best; null where it was not seen.",
                \.grace),
            .seconds("transition", "How long the way there took; null where it was not seen.", \.transition),
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
