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

/// The limits of waiting messages.
package struct IntakeLimits: Sendable, Equatable {
    /// How long a missing frame is waited for, in s.
    package var reorderSeconds = 5.0
    /// The same for `submersion`, whose alarms must not wait.
    package var submersionReorderSeconds = 1.0
    /// How many messages of one stream may wait for one reason.
    package var reorderFrames = 64
    /// How many bytes of one stream may wait for one reason: those of `streamSeconds` of batches.
    package var streamBytes = 512 * 1_024
    private static let streamSeconds = 10.0
    /// How long a batch waits for a workout, in s.
    package var workoutWaitSeconds = 2.0
    /// How long motion waits for its units to be measured, in s.
    package var unitsWaitSeconds = 60.0
    /// How long the current boot must be silent before one with an earlier clock replaces it, in s.
    package var bootSilenceSeconds = 5.0
    /// How long frames of a boot with an earlier clock wait, in s.
    package var bootWaitSeconds = 300.0
    /// By how much a device's clock may fall within a run, in s.
    package var clockStepSeconds = 5.0
    /// How far ahead a device's wall clock may run before its messages carry `skew`, in s.
    package var futureSkewSeconds = 5.0
    /// How long after its session was resumed, or the lane was behind, the broker may deliver a frame again, in s; 0 where it does so before
    /// newer ones.
    package var redeliverySeconds = 0.0
    /// How long after resuming a session frames before the first are presumed to be processed, in s.
    package var resumptionSeconds = 60.0

    /// A run begins no sooner after the first frame that is in doubt than this, in s.
    private static let leastRunSilence = 5.0
    /// How many of a stream's usual intervals the run before has to be silent.
    private static let silentIntervals = 3.0

    /// The defaults.
    package init() {}

    /// How long a run has to be silent, in s, before another one begins, where frames usually come every `interval` seconds.
    func runSilence(interval: Double) -> Double {
        min(bootWaitSeconds, max(Self.leastRunSilence, bootSilenceSeconds, Self.silentIntervals * interval))
    }

    /// How many bytes of one stream may wait for frames that are delivered again: as many as come meanwhile.
    var redeliveryBytes: Int {
        Int(exactly: (Double(streamBytes) * max(1, redeliverySeconds / Self.streamSeconds)).rounded()) ?? streamBytes
    }

    /// How long a missing frame of `scope` is waited for, in s.
    func reorderSeconds(for scope: SequenceScope) -> Double {
        scope.stream == .submersion ? min(submersionReorderSeconds, reorderSeconds) : reorderSeconds
    }
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
