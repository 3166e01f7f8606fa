package import TelemetryModel

/// Everything a pipeline remembers of one device; written at checkpoints.
package struct DeviceState: Sendable, Equatable, Codable {
    /// The version of the state and of everything that is derived in it: another one is not read.
    package static let schema = ([version] + DerivationSet.versions).map(String.init).joined(separator: ".")

    private static let version = 2

    /// Boots, order, clocks, and what waits.
    package var intake = DeviceIntake()
    /// What the device reports of itself.
    package var status: DeviceStatus?
    /// The latest decision on each stream.
    package var decisions: [StreamName: AccessDecision] = [:]
    /// What is known of the current boot.
    package var boot = BootState()
    /// The same of the boot that the current one displaced: it goes on if the device returns to it.
    package var displaced: BootState?
    /// What the broker keeps of the device, by kind.
    package var retained: [String: RetainedValue] = [:]
    /// What was refused lately.
    package var rejections = RejectionLimiter()

    /// A device that nothing has come from.
    package init() {}

    /// Moves every instant of the gateway's monotonic clock by `seconds`: that clock begins anew with its machine.
    package mutating func shiftMonotonic(by seconds: Double) {
        intake.shiftMonotonic(by: seconds)
        rejections.shiftMonotonic(by: seconds)
    }
}

/// What is known of one boot of a device, beside the order of its messages.
package struct BootState: Sendable, Equatable, Codable {
    /// The boot; nil before the first frame.
    package var id: BootID?
    /// The workout session.
    package var workouts = WorkoutHistory()
    /// The latest frames of each stream.
    package var histories: [StreamName: FrameHistory] = [:]
    /// Holes in the accelerometer half of batches.
    package var accelerometerGaps = SampleGaps()
    /// Holes in the device motion half of batches.
    package var deviceMotionGaps = SampleGaps()
    /// The `seq` of the submersion frame with which the device went into the water, until a dive has ended.
    package var immersedSince: UInt64?
    /// Whether the depth is from before the gateway's start and no data have confirmed it since.
    package var isDepthUnconfirmed = false
    /// What is derived.
    package var derivations = DerivationSet()

    /// Nothing known yet.
    package init() {}
}

/// The latest message of a retained kind, kept so that it can be published again to a broker that has lost it.
package struct RetainedValue: Sendable, Equatable, Codable {
    /// The message's payload.
    package var payload: [UInt8]
    /// When the message stops being true, on the wall clock; nil for never.
    package var validUntil: UnixTime?
}
