package import TelemetryModel

/// A message of a device and what it holds, well-formed but in the device's own units and clocks: frames of one scope, or a report of its presence.
package struct DecodedMessage: Sendable, Equatable {
    /// The kinds of content.
    package enum Content: Sendable, Equatable {
        /// Frames, of one stream or several; none where nothing in it is used.
        case frames([DecodedBody])
        /// A last will of the contract (`status` with neither `seq` nor `uptime`): exempt from `seq`, effective on arrival, if it is of the
        /// current boot. Of its header only the boot is defined.
        case lastWill(DecodedBody)
        /// A report by another party that the device is online or offline, effective on arrival, whatever the boot.
        case presence(DeviceStatus.State)
    }

    /// The message as it arrived.
    package let message: InboundMessage
    /// When it arrived.
    package let received: GatewayTime
    /// What its `seq` is counted in.
    package let scope: SequenceScope
    /// The boot, the `seq` and the clocks that all its frames share.
    package let header: FrameHeader
    /// What it holds.
    package var content: Content
    /// How far scaled columns may be off.
    package var quantization = Quantization()
    /// What of it is not used, for the counters.
    package var passedOver = PassedOver()
    /// The device time of its first new sample, once that is known; until then its uptime.
    var firstSample: DeviceTime

    /// What a message of `scope` that arrived at `received` holds.
    package init(
        _ message: InboundMessage, received: GatewayTime, scope: SequenceScope, header: FrameHeader, content: Content
    ) {
        self.message = message
        self.received = received
        self.scope = scope
        self.header = header
        self.content = content
        firstSample = header.uptime
    }

    /// What its frames hold, if it holds any.
    package var frames: [DecodedBody] { if case .frames(let frames) = content { frames } else { [] } }

    /// What its first frame holds, or the last will.
    package var body: DecodedBody? { if case .lastWill(let body) = content { body } else { frames.first } }
}

/// What a frame holds before normalization; indirect like `FrameBody`.
package indirect enum DecodedBody: Sendable, Equatable {
    /// Already in the model's units and in device time.
    case model(FrameBody)
    /// Submersion data in the device's units, dated by either clock.
    case submersion(DecodedSubmersion)
    /// Steps and pauses, dated by the device's wall clock.
    case pedometer(DecodedPedometer)
    /// Motion in a producer's units and signs.
    case motion(DecodedMotion)
}

extension DecodedBody {
    /// The stream it is of.
    package var stream: StreamName {
        switch self {
        case .model(let body): body.stream
        case .submersion: .submersion
        case .pedometer: .pedometer
        case .motion(let motion): motion.stream
        }
    }
}
