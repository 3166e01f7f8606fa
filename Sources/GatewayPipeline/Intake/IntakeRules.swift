import TelemetryModel

/// What an intake goes by, beside its own state and the message.
package struct IntakeRules {
    /// The instant of the call.
    package var now: GatewayTime
    /// How long and how much may wait.
    package var limits: IntakeLimits
    /// Reads messages that waited.
    package var reader: FrameReader
    /// Whether the device's app sends standardised units and signs; nil to measure it.
    package var isStandardised: Bool?
    /// Whether frames of `batched-imu` need a workout and none is known.
    package var awaitsWorkout: Bool
    /// When the broker gave back the session of a gateway before this one; nil if it did not.
    package var resumedAt: GatewayTime?
}

/// How long messages wait, and how many.
package struct IntakeLimits: Sendable, Equatable {
    /// How long a missing frame is waited for, in s.
    package var reorderSeconds = 5.0
    /// The same for `submersion`, whose alarms must not wait.
    package var submersionReorderSeconds = 1.0
    /// How many messages of one stream may wait for one reason.
    package var reorderFrames = 64
    /// How many bytes of one stream may wait for one reason: ten seconds of batches.
    package var streamBytes = 512 * 1_024
    /// How long a batch waits for a workout, in s.
    package var workoutWaitSeconds = 2.0
    /// How long motion waits for its units to be known, in s.
    package var unitsWaitSeconds = 60.0
    /// How long the current boot must be silent before one with an earlier clock replaces it, in s.
    package var bootSilenceSeconds = 5.0
    /// How long frames of such a boot wait, in s.
    package var bootWaitSeconds = 300.0
    /// How far ahead a device's wall clock may run before its messages say so, in s.
    package var futureSkewSeconds = 5.0
    /// How long after its start a gateway presumes that frames before the first were processed before it, in s.
    package var resumptionSeconds = 60.0

    /// The defaults.
    package init() {}

    /// How long a missing frame of `scope` is waited for, in s.
    func reorderSeconds(for scope: SequenceScope) -> Double {
        scope.stream == .submersion ? min(submersionReorderSeconds, reorderSeconds) : reorderSeconds
    }
}

/// Reads messages into frames: the decoders of all producers, with their buffers.
package final class FrameReader {
    let decoder: MessageDecoder
    let limits: DecodeLimits

    /// A reader with empty buffers.
    package init(producers: Producers, limits: DecodeLimits) {
        decoder = MessageDecoder(producers: producers)
        self.limits = limits
    }

    /// What a message of `scope` that arrived at `received` holds.
    func read(_ message: InboundMessage, scope: SequenceScope, received: GatewayTime) throws(Rejection) -> DecodedMessage {
        guard let stream = scope.stream else { return try read(message, received: received) }
        return try decoder.decode(message, stream: stream, limits: limits)
    }

    /// What a producer's message holds.
    func read(_ message: InboundMessage, received: GatewayTime) throws(Rejection) -> DecodedMessage {
        try decoder.decode(message, context: ProducerContext(limits: limits, received: received))
    }
}
