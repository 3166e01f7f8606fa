import TelemetryModel

extension Impact: DerivedBody {
    /// `impact`.
    package static let kind = DerivedKind<Self>(
        "impact", retained: false, "An impact measured by the accelerometer, with or without a swing around it.",
        fields: [
            .instant("impactAt", "The sample at the peak.", \.impactAt),
            .number("peakAcceleration", unit: "G", "The acceleration there, unfiltered.", \.peakAcceleration),
            .text("axis", "What the peak was found in.", \.axis.rawValue),
        ],
        view: KindView(.bat, row: { Phrase("impact, \($0["peakAcceleration", 0])", .notice) })
    ) { $0.axis.rawValue }
}

extension Swing: DerivedBody {
    /// `swing`.
    package static let kind = DerivedKind<Self>(
        "swing", retained: false, "One swing, decided to be a hit or a miss.",
        fields: [
            .flag("contact", "Whether something was hit.", \.contact),
            .instant("impactAt", "The impact; null on a miss.", \.impactAt),
            .instant("startAt", "When the rotation about gravity began.", \.startAt),
            .seconds("timeToContact", "From start to impact; null on a miss.", \.timeToContact),
            .number(
                "peakAcceleration", unit: "G", "The greatest acceleration within the swing; null without accelerometer samples.",
                \.peakAcceleration),
            .number("peakRotationRate", unit: "rad/s", "The greatest |rotationRate . gravity|.", \.peakRotationRate),
            .number(
                "accumulatedRotation", unit: "rad",
                "The rotation about gravity from the start to the impact, or to the end of a miss.", \.accumulatedRotation),
            .number(
                "confidence",
                "How far peak and rotation clear their thresholds, times coverage; calibrated on simulated people only.",
                \.confidence),
            .number("coverage", "Samples received over samples expected.", \.coverage),
            .number(
                "batSpeed", unit: "m/s",
                "The greatest speed of the bat's point in the 50 ms before the impact, or at the peak of a miss; null unless the bat is described.",
                \.batSpeed),
            .number(
                "batSpeedAtContact", unit: "m/s", "Its speed at the impact; null on a miss, and unless the bat is described.",
                \.batSpeedAtContact),
            .flag(
                "saturated",
                "Whether a rotation rate was over the gyroscope's 2000 degrees a second; null unless the bat is described.",
                \.isSaturated),
            .flag(
                "calibrated",
                "Whether the speed is scaled to a measured one; else it only compares swings; null unless the bat is described.",
                \.isCalibrated),
        ],
        view: KindView(
            .bat, row: phrase, event: phrase,
            cell: .init(.swing) { fields in
                guard let at = fields.at, let contact = fields.flag("contact") else { return [] }
                let time = fields.number("timeToContact").map { "\(($0 * 1_000).text(0)) ms " } ?? ""
                let confidence = fields.number("confidence").map { $0.text(2) } ?? "–"
                return [
                    .text(contact ? time : "", .strong), .text(contact ? "hit" : "miss"), .text(" \(confidence) · ", .quiet),
                    .since(at, .quiet), .text(" ago", .quiet),
                ]
            },
            details: [.messages(20, with: ["at", "contact", "startAt"])],
            entities: [
                .init(
                    "swing", "Swing",
                    .event(
                        types: ["contact", "miss"], type: "'contact' if value_json.contact else 'miss'", without: ["contact"]),
                    icon: "mdi:tennis")
            ])
    ) { "\($0.contact):\($0.startAt.microseconds)" }

    private static let phrase: KindView.Text = { fields in
        guard let contact = fields.flag("contact") else { return nil }
        let rate = fields.measure("peakRotationRate", 0, sign: .never)
        guard contact else { return Phrase(list: ["missed", rate]) }
        let time = "hit, \(fields["timeToContact", 2]) to contact"
        return Phrase(list: [time, rate, fields.measure("peakAcceleration", 0)], .good)
    }
}

extension ViewColumn {
    /// The latest swing.
    static let swing = ViewColumn("swing", "Last swing", place: 3)
}
