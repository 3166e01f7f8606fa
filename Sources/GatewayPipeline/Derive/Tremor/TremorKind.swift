package import TelemetryModel

extension Tremor: DerivedBody {
    /// `tremor`.
    package static let kind = DerivedKind<Self>(
        "tremor", retained: false, "How much of a minute a wrist trembled. For research: never a diagnosis.",
        fields: [
            .init(
                "start",
                "The start of the minute: on the device's clock, or on the wall clock for recorded acceleration and Apple's results."
            ) {
                .instant($0.start)
            },
            .init("end", "Its end.") { .instant($0.end) },
            .init("unknown", "The share of the minute for which nothing is known.") { .number($0.unknown) },
            .init("none", "The share without tremor.") { .number($0.none) },
            .init("slight", "The share with a tremor of less than 1 cm from peak to peak; Apple's grades are its own.") {
                .number($0.slight)
            },
            .init("mild", "The share with a tremor of 1 to 3 cm.") { .number($0.mild) },
            .init("moderate", "The share with a tremor of 3 to 10 cm.") { .number($0.moderate) },
            .init("severe", "The share with a tremor of more than 10 cm; `strong` of Apple's.") { .number($0.severe) },
            .init("frequency", unit: "Hz", "The mean frequency of the tremor; null without tremor, and for Apple's results.") {
                .number($0.frequency)
            },
            .init("amplitude", unit: "cm", "Its mean amplitude, from peak to peak; null like the frequency.") {
                .number($0.amplitude)
            },
            .init(
                "method", values: TremorMethod.allCases.map(\.rawValue),
                "How it was found: by the spectrum of the acceleration, or by Apple's movement disorder manager."
            ) { .text($0.method.rawValue) },
            .init("notice", values: ["research"], "What it is for.") { _ in .text("research") },
            .init("coverage", "The share of the minute that is known, 0 to 1.") { .number($0.coverage) },
            .init("revision", "How often this minute was published before with other values.") { .integer($0.revision) },
        ]
    ) { "\($0.start.microseconds):\($0.revision)\($0.method == .apple ? ":apple" : "")" }
}
