import TelemetryModel

extension Posture: DerivedBody {
    /// `posture`.
    package static let kind = DerivedKind<Self>(
        "posture", retained: true, "How a head is held, by the direction of gravity, relative to a neutral moment.",
        fields: [
            .init("state", values: State.allCases.map(\.rawValue), "Near neutral, bent forward or back, tilted, or not known.") {
                .text($0.state.rawValue)
            },
            .init("pitch", unit: "rad", "The angle to neutral, positive backwards; null where it is not known.") {
                .number($0.pitch)
            },
            .init("roll", unit: "rad", "The angle to neutral sideways, positive to the right; null where it is not known.") {
                .number($0.roll)
            },
            .init("since", type: .instant, "When the state began.") { .instant($0.since) },
            .init("awayToday", unit: "s", "Time away from neutral on this UTC day.") { .seconds($0.awayToday) },
        ]
    ) { "\($0.state.rawValue):\($0.since.microseconds)" }
}
