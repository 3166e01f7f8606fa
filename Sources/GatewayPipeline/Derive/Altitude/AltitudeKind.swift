extension Altitude: DerivedBody {
    /// `altitude`.
    package static let kind = DerivedKind<Self>(
        "altitude", retained: true, kept: true, "How high a device is, and how far it has gone up and down in this session.",
        fields: [
            .init("relativeAltitude", unit: "m", "Over the start of the session, smoothed.") { .number($0.relativeAltitude) },
            .init("altitude", unit: "m", "Over the sea; null where the device does not measure it.") { .number($0.altitude) },
            .init("accuracy", unit: "m", "How far `altitude` may be off; null without it.") { .number($0.accuracy) },
            .init("precision", unit: "m", "The step that `altitude` is worth showing in; null without it.") {
                .number($0.precision)
            },
            .init("pressure", unit: "kPa", "Air pressure; null where it was not sent.") { .number($0.pressure) },
            .init("ascent", unit: "m", "Up in this session, each rise from extreme to extreme.") { .number($0.ascent) },
            .init("descent", unit: "m", "Down in this session, each fall from extreme to extreme.") { .number($0.descent) },
            .init("verticalSpeed", unit: "m/min", "Over the last 30 s; null before that much is known.") {
                .number($0.verticalSpeed)
            },
            .init("floors", type: .number, "Whole floors of 3 m between the start of the session and now.") {
                .integer($0.floors)
            },
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
