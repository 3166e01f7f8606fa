import TelemetryModel

extension Punch: DerivedBody {
    /// `punch`.
    package static let kind = DerivedKind<Self>(
        "punch", retained: false, perStream: true, "One punch, and how the fist came back.",
        fields: [
            .instant("impactAt", "The sample of the greatest acceleration.", \.impactAt),
            .number("peakAcceleration", unit: "G", "The acceleration there, without gravity.", \.peakAcceleration),
            .choice("direction", "The device's axis of its greatest component.", \.direction),
            .number(
                "speedBefore", unit: "m/s",
                "The change of speed along that axis in the 0.25 s before; null where samples are missing.", \.speedBefore),
            .number("recoil", unit: "G", "The greatest acceleration the other way in the 0.3 s after; null for none.", \.recoil),
            .seconds("recoilTime", "The time from the impact to the recoil; null for none.", \.recoilTime),
            .integer("count", "Punches since the workout began, this one included.", \.count),
            .number("confidence", "How likely it is a punch; calibrated on simulated people only.", \.confidence),
            .choice("hand", "The wrist; null where it is not known.", \.hand),
            .integer("sampleRate", unit: "Hz", "The rate of the samples, rounded to 800, 200, 100, 50 or 25.", \.sampleRate),
            .flag(
                "clipped", "Whether the sensor may have been at its limit: three samples are within 2 % of the greatest.",
                \.clipped),
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
