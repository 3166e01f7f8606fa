package import TelemetryModel

/// Everything a pipeline remembers of one device; written down at checkpoints.
package struct DeviceState: Sendable, Equatable, Codable {
    /// The version of the state and of everything that is derived in it: another one is not read.
    package static let schema = ([version] + DerivationSet.versions).map(String.init).joined(separator: ".")

    private static let version = 1

    /// The boots seen, the current one last.
    package var boots = BootHistory()
    /// The device's clock in the current boot.
    package var clock = DeviceClock()
    /// What the device says of itself.
    package var status: DeviceStatus?
    /// The workout session of the current boot.
    package var workouts = WorkoutHistory()
    /// The order of each carrier's messages.
    package var sequences: [Carrier: SequenceTracker] = [:]
    /// The units and signs of the motion streams whose producer does not tell them.
    package var conventions: [StreamName: ConventionTrack] = [:]
    /// Messages that wait until those are known, in order.
    package var awaitingConvention: [HeldFrame] = []
    /// The latest frames of each stream.
    package var histories: [StreamName: FrameHistory] = [:]
    /// Frames that wait for news of a workout, in order.
    package var awaitingWorkout: [HeldFrame] = []
    /// Holes in the accelerometer half of batches.
    package var accelerometerGaps = SampleGaps()
    /// Holes in the device motion half of batches.
    package var deviceMotionGaps = SampleGaps()
    /// The `seq` of the submersion frame with which the device went into the water, until a dive has ended.
    package var immersedSince: UInt64?
    /// Whether the depth is from before the gateway's start and no data have confirmed it since.
    package var isDepthUnconfirmed = false
    /// The latest decision on each stream.
    package var decisions: [StreamName: AccessDecision] = [:]
    /// What is derived.
    package var derivations = DerivationSet()
    /// What the broker keeps of the device, by kind.
    package var retained: [String: RetainedValue] = [:]
    /// What was refused lately.
    package var rejections = RejectionLimiter()

    /// A device nothing has come from.
    package init() {}

    /// When the earliest wait ends, on the gateway's monotonic clock.
    func deadline(settings: PipelineSettings) -> Double? {
        var earliest = awaitingWorkout.first.map { $0.received.monotonic + settings.workoutWaitSeconds }
        for (carrier, tracker) in sequences {
            guard let deadline = tracker.deadline(waitSeconds: settings.reorderSeconds(for: carrier)) else { continue }
            earliest = min(earliest ?? deadline, deadline)
        }
        return earliest
    }

    /// The earliest sample among the frames that wait: no timer may run past it.
    var earliestHeldSample: DeviceTime? {
        (sequences.values.flatMap(\.held) + awaitingWorkout + awaitingConvention).map(\.firstSample).min()
    }
}

extension DeviceState {
    /// Moves every instant of the gateway's monotonic clock by `seconds`: that clock begins anew with its machine.
    package mutating func shiftMonotonic(by seconds: Double) {
        clock.shiftMonotonic(by: seconds)
        postponeWaits(by: seconds)
        rejections.shiftMonotonic(by: seconds)
    }

    /// Has everything that waits for a missing message arrive `seconds` later.
    mutating func postponeWaits(by seconds: Double) {
        for carrier in sequences.keys { sequences[carrier]?.shiftMonotonic(by: seconds) }
        for index in awaitingWorkout.indices { awaitingWorkout[index].received.monotonic += seconds }
        for index in awaitingConvention.indices { awaitingConvention[index].received.monotonic += seconds }
    }
}

/// The latest message of a retained kind, kept so that it can be told again to a broker that has lost it.
package struct RetainedValue: Sendable, Equatable, Codable {
    /// The message's payload.
    package var payload: [UInt8]
    /// When the message stops being true, on the wall clock; nil for never.
    package var validUntil: UnixTime?
}
