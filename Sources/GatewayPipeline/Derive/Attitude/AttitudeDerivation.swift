package import TelemetryModel

/// `attitude`: the device motion of each frame, for programs that draw it or compute with it.
package struct AttitudeDerivation: Derivation {
    /// `attitude`.
    package static let declaration = DerivationDeclaration(
        "attitude", version: 1, streams: [.deviceMotion, .headphoneMotion, .batchedIMU], kinds: [AttitudeSeries.self],
        isOnByDefault: false, "The device motion of each frame, about 110 bytes a sample.")

    /// Nothing is kept from frame to frame.
    package init() {}

    /// The motion of a frame that has any.
    package static func input(of frame: NormalizedFrame, settings: AttitudeSettings) -> AttitudeSeries? {
        guard let samples = frame.body.motion, samples.count > 0 else { return nil }
        return AttitudeSeries(stream: frame.stream, samples: samples)
    }

    /// Publishes the frame.
    package mutating func consume(_ input: AttitudeSeries, settings: AttitudeSettings, into events: inout [DerivedEvent]) {
        let times = input.samples.timestamp
        guard let first = times.first, let last = times.last else { return }
        events.append(DerivedEvent(time: DeviceTime(last), span: DeviceTime(first)...DeviceTime(last), body: input))
    }

    /// Nil: no timer runs.
    package func due(settings: AttitudeSettings) -> DeviceTime? { nil }

    /// Does nothing, as no timer runs.
    package mutating func fire(until now: DeviceTime, settings: AttitudeSettings, into events: inout [DerivedEvent]) {}
}

/// No settings but `enabled`.
package struct AttitudeSettings: DerivationSettings {
    /// No settings but `enabled`.
    package static let table: [DerivationSetting<Self>] = []

    /// The defaults.
    package init() {}
}
