import TelemetryModel

extension WearChange: DerivedBody {
    /// `wear`.
    package static let kind = DerivedKind<Self>(
        "wear", retained: true, kept: true, "Whether the device is worn, by its recorded accelerometer, and the period before.",
        fields: [
            .choice("state", "The state from `since` on.", \.state),
            .time("since", "When it began.", \.since),
            .choice(
                "previous",
                "The state before; null for the first, and the same as `state` where samples that came late have undone the change.",
                \.previous),
            .time(
                "start",
                "When the state before began; null for the first, and where samples that came late have undone the change.",
                \.start),
            .time("end", "When the state before ended; null like `start`.", \.end),
            .integer("revision", "How often the change at this instant was published before with other values.", \.revision),
        ],
        view: KindView(
            .night, row: { $0.text("state").map { Phrase($0 == WearState.notWorn.rawValue ? "not worn" : $0, .quiet) } },
            event: { fields in
                // A revision of an earlier change is no news; the latest change follows it.
                let since = fields.number("since") ?? 0
                guard fields.text("state") != fields.textBefore("state"), since >= fields.before?["since"]?.number ?? since else {
                    return nil
                }
                return words(fields).map { Phrase($0, .quiet) }
            },
            details: [.facts("Last night and day") { fields in [("the watch", [.text(words(fields) ?? "")])] }],
            episode: .init(nil))
    ) { "\($0.state.rawValue):\($0.previous?.rawValue ?? ""):\($0.revision)" }

    @Sendable private static func words(_ fields: ShownFields) -> String? {
        switch fields.text("state") {
        case WearState.worn.rawValue: "is worn"
        case WearState.notWorn.rawValue: "is not worn"
        default: nil
        }
    }
}
