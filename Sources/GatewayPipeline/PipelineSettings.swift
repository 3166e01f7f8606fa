package import TelemetryModel

/// Everything about the pipeline that can be set from outside.
package struct PipelineSettings: Sendable {
    /// Where topics stand.
    package var topics = TopicLayout()
    /// The gateway's name in `fathom/{gateway}`.
    package var gateway: Identifier
    /// Names the derivation settings in every message.
    package var configurationFingerprint = "0000"
    /// Who publishes in other ways than the contract's.
    package var producers = Producers()
    /// How large and how deep a payload may be.
    package var decode = DecodeLimits()
    /// How long a missing frame is waited for.
    package var reorderSeconds = 5.0
    /// The same for `submersion`: an alarm must not wait.
    package var submersionReorderSeconds = 1.0
    /// How many frames of one stream may wait.
    package var reorderFrames = SequenceTracker.defaultFrames
    /// Frames older than this are refused; nil for never.
    package var maximumAgeSeconds: Double?
    /// How far ahead a device's wall clock may run before its messages say so.
    package var futureSkewSeconds = 5.0
    /// How long a batch waits for news of a workout.
    package var workoutWaitSeconds = 2.0
    /// How many rejections a second are published for each device and reason.
    package var rejectedPerSecond = 1.0
    /// The nominal rate of a batch's accelerometer in Hz.
    package var accelerometerHertz = 800.0
    /// The nominal rate of a batch's device motion in Hz.
    package var deviceMotionHertz = 200.0
    /// Whether `out/committed/{stream}` is published.
    package var publishesCommitted = false
    /// Depth, water temperature and dive.
    package var submersion = SubmersionSettings(maximumDepth: nil)
    /// Impact and swing.
    package var swing = SwingSettings()
    /// Headphone connection.
    package var headphone = ConnectionSettings.headphone
    /// Device connection.
    package var device = ConnectionSettings.device
    /// Head pose.
    package var pose = HeadPoseSettings()
    /// Forehand and backhand.
    package var stroke = StrokeSettings.tennis
    /// The streams strokes are counted from.
    package var strokeStreams: Set<StreamName> = [.deviceMotion, .batchedIMU]
    /// The wrist that strokes are told by; nil for what the registry or the device says.
    package var strokeWrist: Side?

    /// The defaults, for a gateway of that name.
    package init(gateway: Identifier) { self.gateway = gateway }

    /// How long a missing message of `carrier` is waited for.
    package func reorderSeconds(for carrier: Carrier) -> Double {
        carrier.stream == .submersion ? min(submersionReorderSeconds, reorderSeconds) : reorderSeconds
    }
}
