import TelemetryModel

/// The parameters of an intake call, beside its own state and the message.
package struct IntakeRules {
    /// The instant of the call.
    package var now: GatewayTime
    /// How long and how much may wait.
    package var limits: IntakeLimits
    /// Decodes messages that waited.
    package var reader: FrameReader
    /// Whether the device's app sends standardised units and signs; nil to measure it.
    package var isStandardised: Bool?
    /// Whether frames of `batched-imu` need a workout and none is known.
    package var awaitsWorkout: Bool
    /// When the broker resumed the session of a gateway before this one, which has processed what came before; nil if it did
    /// not, or if what was processed is known.
    package var resumedAt: GatewayTime?
    /// Whether timers that are due by the gateway's clock fire when a frame arrives.
    package var firesTimers: Bool
    /// Until when the broker may deliver frames again that come behind newer ones, on the gateway's monotonic clock; nil where it does
    /// not.
    package var redeliveryUntil: Double?

    /// Whether missing frames may still be delivered again.
    var awaitsRedelivery: Bool { redeliveryUntil.map { now.monotonic < $0 } ?? false }
}

/// Decodes messages into frames, with the decoders of all producers and their buffers.
package final class FrameReader {
    let decoder: MessageDecoder
    let limits: DecodeLimits

    /// A reader with empty buffers.
    package init(producers: Producers, limits: DecodeLimits) {
        decoder = MessageDecoder(producers: producers)
        self.limits = limits
    }

    /// Decodes a message of `scope` that arrived at `received`.
    func read(_ message: InboundMessage, scope: SequenceScope, received: GatewayTime) throws(Rejection) -> DecodedMessage {
        guard let stream = scope.stream else { return try read(message, received: received) }
        return try decoder.decode(message, stream: stream, limits: limits)
    }

    /// The header of a message of a stream whose body need not be read; nil where it has to be.
    func glance(at message: InboundMessage) -> FrameHeader? {
        decoder.native.glance(at: message.payload, contentType: message.contentType, limits: limits)
    }

    /// Decodes a producer's message.
    func read(_ message: InboundMessage, received: GatewayTime) throws(Rejection) -> DecodedMessage {
        try decoder.decode(message, context: ProducerContext(limits: limits, received: received))
    }
}
