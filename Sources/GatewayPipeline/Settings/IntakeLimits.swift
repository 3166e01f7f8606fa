import TelemetryModel

/// The limits of waiting messages.
package struct IntakeLimits: Sendable, Equatable {
    /// How long a missing frame is waited for, in s.
    package var reorderSeconds = 5.0
    /// How long a missing frame of `submersion` is waited for, whose alarms must not wait, in s.
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

    /// Whether more of one scope waits than may.
    func isExceeded(by load: (count: Int, bytes: Int)) -> Bool {
        load.count > reorderFrames || (load.bytes > streamBytes && load.count > 0)
    }
}
