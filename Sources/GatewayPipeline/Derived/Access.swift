package import TelemetryModel

/// The reason of an access decision.
package enum AccessReason: String, Sendable, Codable, CaseIterable {
    /// Every check passed.
    case allowed
    /// The device is not in the registry, or was removed from it.
    case unknownDevice
    /// The device lacks the stream.
    case notAvailable
    /// Motion authorization is missing.
    case notAuthorized
    /// The depth entitlement is missing.
    case notEntitled
    /// No workout session is running.
    case notInSession
    /// The device costs more than its budget.
    case overBudget
}

/// The decision whether one stream of one device may be used.
package struct AccessDecision: Sendable, Equatable, Codable {
    /// The stream decided on.
    package var stream: StreamName
    /// Why; `allowed` when it may be used.
    package var reason: AccessReason
    /// Core Motion's error for the refusal; nil when allowed or unknown.
    package var code: CoreMotionErrorCode?
    /// Since when the decision holds.
    package var since: UnixTime
    /// The parts of a frame that are refused alone while the rest may be used.
    package var refusedHalves: [Capability] = []
    /// When the stream may be used again at the earliest, where the device is over its budget; nil for every other reason.
    package var resumesAt: UnixTime?

    /// Whether the stream may be used.
    package var allowed: Bool { reason == .allowed }
}

/// Frames or samples that are missing.
package struct Gap: Sendable, Equatable, Codable {
    /// What is counted.
    package enum Unit: String, Sendable, Codable, CaseIterable {
        /// Whole frames, by `seq`.
        case frames
        /// Samples, by timestamp and nominal rate.
        case samples
    }

    /// Why it is missing, where that is neither the device's nor the broker's doing.
    package enum Cause: String, Sendable, Codable, CaseIterable {
        /// What the gateway had stored cannot be read.
        case damaged
    }

    /// The stream with the gap.
    package var stream: StreamName
    /// What is counted.
    package var unit: Unit
    /// How many were expected.
    package var expected: Int
    /// How many were received.
    package var received: Int
    /// The last instant before the gap.
    package var from: DeviceTime
    /// The first instant after the gap.
    package var to: DeviceTime
    /// The first missing `seq`, where frames are counted.
    package var firstSequence: UInt64?
    /// Why; nil where frames or samples did not arrive.
    package var cause: Cause?
    /// How many gaps it stands for.
    package var count = 1
    /// The missing `seq` of frames where it stands for several gaps: they rise, and are not adjacent. `received` frames lie in them.
    package var ranges: [ClosedRange<UInt64>] = []
}
