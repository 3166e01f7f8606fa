import TelemetryModel

extension Posture: DerivedBody {
    /// `posture`.
    package static let kind = DerivedKind<Self>(
        "posture", retained: true, "How a head is held, by the direction of gravity, relative to a neutral moment.",
        fields: [
            .choice("state", "Near neutral, bent forward or back, tilted, or not known.", \.state),
            .number("pitch", unit: "rad", "The angle to neutral, positive backwards; null where it is not known.", \.pitch),
            .number(
                "roll", unit: "rad", "The angle to neutral sideways, positive to the right; null where it is not known.", \.roll),
            .instant("since", "When the state began.", \.since),
            .seconds("awayToday", "Time away from neutral on this UTC day.", \.awayToday),
        ]
    ) { "\($0.state.rawValue):\($0.since.microseconds)" }
}
