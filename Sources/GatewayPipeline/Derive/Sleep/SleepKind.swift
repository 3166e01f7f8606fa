package import TelemetryModel

extension SleepPeriod: DerivedBody {
    /// `sleep`.
    package static let kind = DerivedKind<Self>(
        "sleep", retained: false,
        "The longest rest between two noons, and the sleep in it. Not verified against polysomnography.",
        fields: [
            .init("duration", unit: "s", "From start to end.") { .number($0.duration) },
            .init("sleepDuration", unit: "s", "How long it is sleep by `method`.") { .number($0.sleepDuration) },
            .init("efficiency", "The share of the period that is sleep, 0 to 1.") {
                .number(($0.efficiency * 10_000).rounded() / 10_000)
            },
            .init("wakeAfterOnset", unit: "s", "The rest of the period.") { .number($0.wakeAfterOnset) },
            .init("awakenings", "Interruptions of more than 5 min.") { .integer($0.awakenings) },
            .init("start", "Its onset.") { .seconds($0.start.seconds) },
            .init("end", "Its end.") { .seconds($0.end.seconds) },
            .init("coverage", "The share of the period of which there are samples, 0 to 1.") { .number($0.coverage) },
            .init("nonWear", unit: "s", "How much of the period the device was not worn.") { .number($0.nonWear) },
            .init(
                "method", values: SleepMethod.allCases.map(\.rawValue),
                "How sleep and wakefulness are distinguished in the period: by the angle of the forearm, or by counts per minute."
            ) { .text($0.method.rawValue) },
            .init("revision", "How often this night was published before with other values.") { .integer($0.revision) },
        ]
    ) { "\($0.revision)" }
}
