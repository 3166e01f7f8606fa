package import TelemetryModel

/// How far the samples of one stream may be off.
package struct StreamQuantization: Sendable, Equatable {
    /// The stream.
    package var stream: StreamName
    /// How far its columns may be off.
    package var error: Quantization
}

extension StreamQuantization: DerivedBody {
    /// `quantization/{stream}`.
    package static let kind = DerivedKind<Self>(
        "quantization/{stream}", retained: true,
        "How far the samples of a stream may be off because the device sends them as scaled integers.",
        levels: StreamName.allCases.map(\.rawValue), level: { $0.stream.rawValue },
        fields: [
            .number("acceleration", unit: "G", "Of total accelerations; null where they are not scaled.", \.error.acceleration),
            .number("rotationRate", unit: "rad/s", "Of rotation rates; null where they are not scaled.", \.error.rotationRate),
            .number(
                "userAcceleration", unit: "G", "Of the acceleration without gravity; null where it is not scaled.",
                \.error.userAcceleration),
            .number("gravity", unit: "G", "Of gravity; null where it is not scaled.", \.error.gravity),
        ]
    ) { $0.stream.rawValue }
}
