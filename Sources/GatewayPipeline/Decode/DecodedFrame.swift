package import TelemetryModel

/// A frame as the device wrote it: well-formed, but in its own units and clocks.
package struct DecodedFrame: Sendable, Equatable {
    /// The header; of a last will only the boot is defined.
    package var header: FrameHeader
    /// Whether the frame is a last will (`status` with neither `seq` nor `uptime`): exempt from `seq`, effective on arrival.
    package var isLastWill: Bool
    /// What the frame holds.
    package var body: DecodedBody
    /// How far scaled columns may be off.
    package var quantization = Quantization()

    /// A frame with its header.
    package init(header: FrameHeader, isLastWill: Bool = false, body: DecodedBody) {
        self.header = header
        self.isLastWill = isLastWill
        self.body = body
    }
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
