package import TelemetryModel

/// One sample of device motion: of a raw sensor what the gateway has computed.
package struct DeviceAttitude: Sendable, Equatable {
    /// The stream.
    package var stream: StreamName
    /// The attitude as x, y, z, w.
    package var attitude: SIMD4<Double>
    /// Gravity in device axes, in G.
    package var gravity: SIMD3<Double>
    /// Acceleration without gravity, in G.
    package var userAcceleration: SIMD3<Double>
    /// What the attitude is relative to; nil where the device does not say.
    package var referenceFrame: ReferenceFrame?
    /// What the gateway knows beside the motion after the frame; nil where the device computed it.
    package var fused: FusedMotion?

    /// Sample `index` of a frame.
    init(_ samples: borrowing MotionSamples, at index: Int, of stream: StreamName) {
        self.stream = stream
        attitude = samples.attitude[index]
        gravity = samples.gravity[index]
        userAcceleration = samples.userAcceleration[index]
        referenceFrame = samples.referenceFrame
        fused = samples.source.fused
    }
}

extension DeviceAttitude: DerivedBody {
    /// `attitude`.
    package static let kind = DerivedKind<Self>(
        "attitude", retained: true, perStream: true,
        "The latest device motion, as the device computed it, or as the gateway did from raw sensors.",
        fields: [
            .init(
                "attitude", components: ["x", "y", "z", "w"], "Device relative to the reference frame, a unit quaternion."
            ) { .quaternion($0.attitude) },
            .init(
                "gravity", unit: "G", components: ["x", "y", "z"],
                "Gravity in device axes, of unit length, downwards."
            ) { .columns(.row($0.gravity)) },
            .init(
                "userAcceleration", unit: "G", components: ["x", "y", "z"],
                "Acceleration without gravity, in device axes."
            ) { .columns(.row($0.userAcceleration)) },
        ] + DeviceAttitude.sourceFields { ($0.fused, $0.referenceFrame) },
        view: KindView(details: [
            .facts("Motion") { fields in
                let fused = fields.flag("headingSettled").map { $0 ? ", heading settled" : ", heading drifts" }
                return [("attitude by", [.text((fields.text("fusedBy") ?? "") + (fused ?? ""))])]
            }
        ])
    ) { $0.stream.rawValue }

    /// The fields on what computed a frame's motion.
    static func sourceFields<Body>(
        _ source: @escaping @Sendable (Body) -> (fused: FusedMotion?, frame: ReferenceFrame?)
    ) -> [DerivedField<Body>] {
        [
            .text("fusedBy", values: ["device", "gateway"], "What computed them.") {
                source($0).fused == nil ? "device" : "gateway"
            },
            .text("referenceFrame", "What the attitudes are relative to; null where the device does not say.") {
                source($0).frame?.rawValue
            },
            .init(
                "gyroscopeBias", unit: "rad/s", components: ["x", "y", "z"],
                "The estimated bias of the rotation rate after the last sample; null where the device computed the attitude."
            ) { source($0).fused.map { .columns(.row($0.gyroscopeBias)) } ?? .text(nil) },
            .flag("atRest", "Whether the sensor lay still at the last sample; null where the device computed the attitude.") {
                source($0).fused?.isAtRest
            },
            .flag(
                "headingSettled",
                "Whether the bias about the vertical, or north, is known; null where the device computed the attitude."
            ) { source($0).fused?.isHeadingSettled },
        ]
    }
}
