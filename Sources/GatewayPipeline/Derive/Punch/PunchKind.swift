import TelemetryModel

extension Punch: DerivedBody {
    /// `punch`.
    package static let kind = DerivedKind<Self>(
        "punch", retained: false, perStream: true, "One punch, and how the fist came back.",
        fields: [
            .init("impactAt", type: .instant, "The sample of the greatest acceleration.") { .instant($0.impactAt) },
            .init("peakAcceleration", unit: "G", "The acceleration there, without gravity.") { .number($0.peakAcceleration) },
            .init("direction", values: Direction.allCases.map(\.rawValue), "The device's axis of its greatest component.") {
                .text($0.direction.rawValue)
            },
            .init(
                "speedBefore", unit: "m/s",
                "The change of speed along that axis in the 0.25 s before; null where samples are missing."
            ) { .number($0.speedBefore) },
            .init("recoil", unit: "G", "The greatest acceleration the other way in the 0.3 s after; null for none.") {
                .number($0.recoil)
            },
            .init("recoilTime", unit: "s", "The time from the impact to the recoil; null for none.") { .seconds($0.recoilTime) },
            .init("count", type: .number, "Punches since the workout began, this one included.") { .integer($0.count) },
            .init("confidence", type: .number, "How likely it is a punch; calibrated on simulated people only.") {
                .number($0.confidence)
            },
            .init("hand", values: Side.allCases.map(\.rawValue), "The wrist; null where it is not known.") {
                .text($0.hand?.rawValue)
            },
            .init("sampleRate", unit: "Hz", "The rate of the samples, rounded to 800, 200, 100, 50 or 25.") {
                .integer($0.sampleRate)
            },
            .init(
                "clipped", type: .flag,
                "Whether the sensor may have been at its limit: three samples are within 2 % of the greatest."
            ) { .flag($0.clipped) },
        ],
        view: KindView(
            .exercise, row: phrase, event: phrase,
            cell: .init(.exercise) { fields in
                let confidence = fields.number("confidence").map { " \($0.text(2))" } ?? ""
                return [
                    .text("\((fields.tallies["punch"] ?? 0).counted("punch", "punches")), \(fields["peakAcceleration", 1])"),
                    .text(confidence, .quiet),
                ]
            },
            tallies: [.latest("count", "punch", "punches")])
    ) { "\($0.count)" }

    private static let phrase: KindView.Text = { fields in
        Phrase("punch \((fields.tallies["punch"] ?? 0).grouped), \(fields["peakAcceleration", 1])")
    }
}
