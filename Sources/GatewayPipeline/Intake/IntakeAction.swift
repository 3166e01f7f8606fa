package import TelemetryModel

/// What follows from a device's messages or the time; actions are carried out in order.
package enum IntakeAction: Sendable {
    /// Timers fire up to a limit.
    case timers(TimerLimit)
    /// The units and signs of a stream are known.
    case convention(StreamName)
    /// The current boot, or a run of it, ends at this device time: what is open is decided, and the depth becomes `unknown`.
    case bootEnded(at: DeviceTime, run: RunCause?)
    /// Another boot is the current one, or another run of it.
    case bootBegan(FrameHeader, Succession)
    /// The boot changes so often that two devices share the id.
    case identityConflict
    /// So many messages of a topic of a scope show what is wrong with the device's clock; they are counted elsewhere.
    case report(Rejection, SequenceScope, topic: String, count: Int)
    /// What may show the depth from this device time on is not used, or not yet.
    case depthDoubted(at: DeviceTime)
    /// So many samples were not later than those accepted before, and are not used.
    case repeated(Int, SequenceScope)
    /// So many samples of a phone are not used, beside those of its watch.
    case overruled(Int, SequenceScope)
    /// Frames are missing.
    case gap(MissingFrames)
    /// Frames of one message of a scope and of so many bytes, in their order, units known, on the device's clock.
    case frames([NormalizedFrame], SequenceScope, bytes: Int)
    /// Frames that wait for ones that the broker may deliver again: what they show of the depth is published before.
    case early([NormalizedFrame])
    /// A message of so many bytes is refused that was not read, or that was overtaken by such a one.
    case refused(FrameHeader, StreamName, bytes: Int)
    /// The device's last will, effective at this device time.
    case lastWill(at: DeviceTime)
    /// Another party's report of the device's presence, effective at this device time.
    case presence(DeviceStatus.State, at: DeviceTime)
    /// A frame of the recorded history, of a message of so many bytes, of any boot and in any order.
    case history(NormalizedFrame, bytes: Int)
    /// A message cannot be used.
    case rejected(InboundMessage, Rejection)
    /// A message of `scope` has its outcome, or begins to wait.
    case outcome(Outcome, SequenceScope)

    /// How a boot follows the one before.
    package enum Succession: Sendable, Equatable {
        /// The first boot of the device.
        case first
        /// Only other parties had reported on the device.
        case afterPresence
        /// The device or its app restarted.
        case reboot
        /// The device returned to the boot before: its state continues.
        case returned
        /// The device's clock was set back, or its app used the boot's id again.
        case newRun(RunCause)
    }

    /// The outcome of a message without frames to process.
    package enum Outcome: Sendable, Equatable {
        /// It was processed.
        case processed
        /// It is a duplicate, or its `seq` was given up.
        case duplicate
        /// It belongs to an earlier boot, or was sent before the gateway's first frame.
        case late
        /// It is retained telemetry, which is ignored.
        case retainedIgnored
        /// It waits; its outcome follows later.
        case held(WaitingMessage.Reason)
    }
}

/// Frames that are missing by `seq`.
package struct MissingFrames: Sendable, Equatable {
    /// What their `seq` is counted in.
    package var scope: SequenceScope
    /// The streams of the message behind them.
    package var streams: [StreamName]
    /// The first missing `seq`.
    package var first: UInt64
    /// How many; 1 or more.
    package var count: UInt64
    /// The device time at which the message behind them begins.
    package var before: DeviceTime
    /// The history entry of the message behind them.
    package var entry: FrameHistory.Entry
}

/// The device time up to which timers may fire: the estimate of the device's clock, but never past a sample that waits.
package struct TimerLimit: Sendable, Equatable {
    /// The estimate of the device's clock.
    package var time: DeviceTime
    /// The first sample that waits, by stream.
    package var waiting: [StreamName: DeviceTime]
    /// What the broker may deliver again, of any stream.
    package var redelivery = Redelivery.none
    /// Whether activity in other pipelines may be missing.
    package var awaitsActivity = false

    /// Whether it differs between derivations.
    var isSelective: Bool { redelivery.isAwaited || awaitsActivity || !waiting.isEmpty }

    /// The limit for timers that depend on `streams`.
    package func limit(for streams: Set<StreamName>) -> DeviceTime {
        guard !waiting.isEmpty else { return time }
        return waiting.reduce(time) { streams.contains($1.key) ? min($0, $1.value) : $0 }
    }

    /// The limit `seconds` earlier, the instant itself excluded.
    func before(_ seconds: Double) -> TimerLimit {
        TimerLimit(
            time: DeviceTime((time - seconds).seconds.nextDown),
            waiting: waiting.mapValues { DeviceTime(($0 - seconds).seconds.nextDown) }, redelivery: redelivery)
    }
}

extension TimerLimit {
    /// The limit at `now` by the device's clock and the streams of which messages wait; nil before the first frame.
    init?(_ clock: DeviceClock, _ waiting: WaitingStreams, at now: GatewayTime, _ redelivery: Redelivery) {
        guard let time = clock.estimate(at: now) else { return nil }
        self.init(time: time, waiting, redelivery)
    }

    /// The limit at `time` and the streams of which messages wait.
    init(time: DeviceTime, _ waiting: WaitingStreams, _ redelivery: Redelivery) {
        self.init(time: time, waiting: redelivery.limits(waiting), redelivery: redelivery)
    }
}

/// The streams of which messages of a device wait, as long as the same ones wait.
struct WaitingStreams {
    let version: WaitingMessages.Version
    /// The first sample that waits, by stream.
    let first: [StreamName: DeviceTime]
    /// The streams with frames that wait for earlier ones.
    let incomplete: Set<StreamName>

    init(_ waiting: WaitingMessages) {
        (version, first, incomplete) = (waiting.version, waiting.firstSamples, waiting.incompleteStreams)
    }
}

/// The parameters of an intake call, beside its own state and the message.
package struct IntakeRules {
    /// The instant of the call.
    package var now: GatewayTime
    /// How long and how much may wait.
    package var limits: IntakeLimits
    /// Decodes messages that waited.
    package var decoder: MessageDecoder
    /// Whether messages that begin to wait keep what was decoded.
    package var keepsDecoded: Bool
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

    /// What the broker may deliver again at the instant of the call.
    var redelivery: Redelivery { Redelivery(until: redeliveryUntil, at: now) }
}
