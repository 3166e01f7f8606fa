package import TelemetryModel

extension TelemetryModel.Stroke: DerivedBody {
    /// `stroke`.
    package static let kind = DerivedKind<Self>(
        "stroke", retained: false, "One forehand or backhand, and the counts after it.",
        fields: [
            .init("stroke", values: Name.allCases.map(\.rawValue), "Which of the two.") { .text($0.stroke.rawValue) },
            .init(
                "accumulatedRotation", unit: "rad", "The rotation about gravity in the window; clockwise from above is positive."
            ) {
                .number($0.accumulatedRotation)
            },
            .init("peakRotationRate", unit: "rad/s", "The fastest rotation about gravity, with the same sign.") {
                .number($0.peakRotationRate)
            },
            .init("forehandCount", "Forehands since the counts were zero, this one included.") { .integer($0.forehandCount) },
            .init("backhandCount", "Backhands since the counts were zero, this one included.") { .integer($0.backhandCount) },
        ]
    ) { "\($0.stroke.rawValue):\($0.forehandCount):\($0.backhandCount)" }
}
