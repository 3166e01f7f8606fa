package import TelemetryModel

/// The samples around one swing.
package struct SwingTrace: Sendable, Equatable {
    /// A signal at even intervals.
    package struct Signal: Sendable, Equatable {
        /// The interval in s.
        package var interval: Double
        /// The factor of the values.
        package var scale: Double
        /// The values from the trace's beginning on; nil where no sample was received.
        package var values: [Int?]
    }

    /// The instant of the swing: its impact, or the peak of its rotation.
    package var swingAt: DeviceTime
    /// When the rotation about gravity began.
    package var startAt: DeviceTime
    /// The impact; nil on a miss.
    package var impactAt: DeviceTime?
    /// The instant of the first value.
    package var from: DeviceTime
    /// The length of the acceleration vector in G.
    package var acceleration: Signal
    /// rotationRate . gravity in rad/s.
    package var rotationRate: Signal
}

extension SwingTrace: DerivedBody {
    /// `trace/swing`.
    package static let kind = DerivedKind<Self>(
        "trace/swing", retained: false, samples: true,
        "The samples from 0.5 s before the start of a swing to 0.5 s after its impact, or after the end of a miss.",
        fields: [
            .instant("swingAt", "The instant of the swing, its `at`.", \.swingAt),
            .instant("startAt", "When the rotation about gravity began.", \.startAt),
            .instant("impactAt", "The impact; null on a miss.", \.impactAt),
            .instant("from", "The instant of the first values.", \.from),
            .init("acceleration", unit: "G", "The length of the acceleration vector.") { .signal($0.acceleration) },
            .init("rotationRate", unit: "rad/s", "The rotation about gravity, rotationRate . gravity.") {
                .signal($0.rotationRate)
            },
        ],
        view: KindView(details: [.messages(10, with: ["swingAt", "startAt", "from", "acceleration", "rotationRate"])])
    ) { "\($0.startAt.microseconds)" }
}
