package import TelemetryModel

/// What happens to a device, as its derivations see it.
package enum Occurrence: Sendable {
    /// A frame that may be used, of one of the derivation's streams.
    case frame(DerivationFrame)
    /// A frame of any stream, as a sign of life, processed `age` seconds of device time after it was sent.
    case activity(DeviceActivity, age: Double)
    /// The device's last will, or another's report that the device came or went, effective at `at`.
    case presence(DeviceStatus.State, at: DeviceTime, isLastWill: Bool)
    /// The data stop for a reason outside of them.
    case interruption(Interruption, at: DeviceTime)
    /// A frame of one of the streams held a number that is none; `at` is the last sample before it.
    case doubt(at: DeviceTime)
}

/// Why data stop.
package enum Interruption: Sendable, Equatable {
    /// The stream may not be used any more.
    case access
    /// The device started again.
    case reboot
}

/// One frame, or the part of it that may be used.
package struct DerivationFrame: Sendable {
    /// Its header.
    package let header: FrameHeader
    /// What it holds.
    package let body: FrameBody

    /// A frame.
    package init(header: FrameHeader, body: FrameBody) {
        self.header = header
        self.body = body
    }

    /// Its stream.
    package var stream: StreamName { body.stream }
}

/// What is known of a device beside its frames.
package struct DeviceFacts: Sendable {
    private let authorizer: Authorizer

    /// What `authorizer` knows.
    package init(_ authorizer: Authorizer) { self.authorizer = authorizer }

    /// How deep the device may measure, in m; nil where it may not.
    package var maximumDepth: Double? { authorizer.depthEntitlement.maximumDepth }

    /// The wrist that the device is on; nil where neither registry nor status has it.
    package var wrist: Side? { authorizer.policy.wrist ?? authorizer.claims?.wristLocation }
}

/// What comes of an occurrence.
package struct DerivationOutput {
    /// What was found, in order.
    package var events: [DerivedEvent] = []
    /// What was counted, by the declared names.
    private(set) var counts: [(name: StaticString, number: Int)] = []

    /// Nothing.
    package init() {}

    /// Counts `number` more under a declared name.
    package mutating func count(_ name: StaticString, _ number: Int) {
        if number > 0 { counts.append((name, number)) }
    }
}
