package import TelemetryModel

/// Everything the pipeline remembers of one device.
package struct DeviceState: Sendable, Equatable, Codable {
    /// Raised whenever a state written by an earlier build would be misread.
    package static let version = 1

    /// What all lanes read.
    package var shared = SharedState()
    /// What each lane remembers of its own streams.
    package var lanes: [Lane: LaneState] = [:]

    /// A device nothing has come from.
    package init() {}
}

/// The part of a device's state that all lanes read: its clock, its boots, and what it says of itself.
package struct SharedState: Sendable, Equatable, Codable {
    /// The boots seen, the current one last.
    package var boots = BootHistory()
    /// The device's clock in the current boot.
    package var clock = DeviceClock()
    /// What the device says of itself.
    package var status: DeviceStatus?
    /// The workout session of the current boot.
    package var workouts = WorkoutHistory()
    /// The kinds whose latest message the broker keeps.
    package var retainedKinds: Set<String> = []
    /// What was refused lately.
    package var rejections = RejectionLimiter()
}

/// What one lane remembers of a device: the order of its streams, what waits, what was decided and derived.
package struct LaneState: Sendable, Equatable, Codable {
    /// The order of each stream.
    package var sequences: [StreamName: SequenceTracker] = [:]
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
    /// The latest decision on each stream.
    package var decisions: [StreamName: AccessDecision] = [:]
    /// What is derived.
    package var derivations = DerivationSet()

    /// When the earliest wait of the lane ends, on the gateway's monotonic clock.
    func deadline(settings: PipelineSettings) -> Double? {
        var earliest = awaitingWorkout.first.map { $0.received.monotonic + settings.workoutWaitSeconds }
        for (stream, tracker) in sequences {
            guard let deadline = tracker.deadline(waitSeconds: settings.reorderSeconds(for: stream)) else { continue }
            earliest = min(earliest ?? deadline, deadline)
        }
        return earliest
    }

    /// The earliest sample among the frames that wait: no timer may run past it.
    var earliestHeldSample: DeviceTime? {
        (sequences.values.flatMap(\.held) + awaitingWorkout).map(\.firstSample).min()
    }
}
