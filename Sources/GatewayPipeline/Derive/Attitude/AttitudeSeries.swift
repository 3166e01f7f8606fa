package import TelemetryModel

/// The device motion of one frame, as columns: of a raw sensor what the gateway has computed.
package struct AttitudeSeries: Sendable, Equatable {
    /// The stream.
    package var stream: StreamName
    /// Its samples, at least one; not raw.
    package var samples: MotionSamples
}

extension AttitudeSeries: DerivedBody {
    /// `attitude`.
    package static let kind = DerivedKind<Self>(
        "attitude", retained: false, kept: false, samples: true, perStream: true,
        "The device motion of a frame as columns, as the device computed it, or as the gateway did from raw sensors.",
        fields: [
            .init("timestamp", "The instants of the samples.") { .columns(.instants($0.samples.timestamp)) },
            .init("attitude", "Device relative to the reference frame, unit quaternions.") {
                .columns(.quaternions($0.samples.attitude))
            },
            .init("gravity", type: .other, unit: "G", "Gravity in device axes, of unit length, downwards.") {
                .columns(.vectors($0.samples.gravity))
            },
            .init("userAcceleration", type: .other, unit: "G", "Acceleration without gravity, in device axes.") {
                .columns(.vectors($0.samples.userAcceleration))
            },
            .init("fusedBy", values: ["device", "gateway"], "What computed them.") {
                .text($0.samples.source.isFused ? "gateway" : "device")
            },
            .init("referenceFrame", type: .text, "What the attitudes are relative to; null where the device does not say.") {
                .text($0.samples.referenceFrame?.rawValue)
            },
            .init(
                "gyroscopeBias", type: .other, unit: "rad/s",
                "The estimated bias of the rotation rate after the last sample; null where the device computed the attitude."
            ) { $0.fused.map { .columns(.row($0.gyroscopeBias)) } ?? .text(nil) },
            .init(
                "atRest", type: .flag,
                "Whether the sensor lay still at the last sample; null where the device computed the attitude."
            ) {
                .flag($0.fused?.isAtRest)
            },
            .init(
                "headingSettled", type: .flag,
                "Whether the bias about the vertical, or north, is known; null where the device computed the attitude."
            ) { .flag($0.fused?.isHeadingSettled) },
        ],
        view: KindView(details: [
            .facts("Motion") { fields in
                let fused = fields.flag("headingSettled").map { $0 ? ", heading settled" : ", heading drifts" }
                return [("attitude by", [.text((fields.text("fusedBy") ?? "") + (fused ?? ""))])]
            }
        ])
    ) { $0.stream.rawValue }

    private var fused: FusedMotion? { if case .fused(let fused) = samples.source { fused } else { nil } }
}
