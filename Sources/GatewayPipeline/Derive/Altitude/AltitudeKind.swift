extension Altitude: DerivedBody {
    /// `altitude`.
    package static let kind = DerivedKind<Self>(
        "altitude", retained: true, kept: true, "How high a device is, and how far it has gone up and down in this session.",
        fields: [
            .number("relativeAltitude", unit: "m", "Over the start of the session, smoothed.", \.relativeAltitude),
            .number("altitude", unit: "m", "Over the sea; null where the device does not measure it.", \.altitude),
            .number("accuracy", unit: "m", "How far `altitude` may be off; null without it.", \.accuracy),
            .number("precision", unit: "m", "The step that `altitude` is worth showing in; null without it.", \.precision),
            .number("pressure", unit: "kPa", "Air pressure; null where it was not sent.", \.pressure),
            .number("ascent", unit: "m", "Up in this session, each rise from extreme to extreme.", \.ascent),
            .number("descent", unit: "m", "Down in this session, each fall from extreme to extreme.", \.descent),
            .number("verticalSpeed", unit: "m/min", "Over the last 30 s; null before that much is known.", \.verticalSpeed),
            .integer("floors", "Whole floors of 3 m between the start of the session and now.", \.floors),
        ],
        view: KindView(
            .run,
            cell: .init(.climb, label: "climb ") { fields in
                guard let height = fields.measure("relativeAltitude", 0) else { return [] }
                guard fields.isCurrent else { return [.text("was \(height)", .was)] }
                return [.text(height), .text(" ↑ \(fields.number("ascent")?.text(0) ?? "–")", .quiet)]
            },
            details: [.plot(["relativeAltitude"])])
    ) { _ in "" }
}

extension ViewColumn {
    /// Metres over the start, and up in all.
    static let climb = ViewColumn(
        "climb", "Climb", hint: "Over the start of the session, and the metres up in all", isNumber: true, place: 6)
}
