/// The reason of an access decision.
public enum AccessReason: String, Sendable, Codable, CaseIterable {
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
public struct AccessDecision: Sendable, Equatable, Codable {
    /// The stream decided on.
    public var stream: StreamName
    /// Why; `allowed` when it may be used.
    public var reason: AccessReason
    /// Core Motion's error for the refusal; nil when allowed or unknown.
    public var code: CoreMotionErrorCode?
    /// Since when the decision holds.
    public var since: UnixTime
    /// The parts of a frame that are refused alone while the rest may be used.
    public var refusedHalves: [Capability]
    /// When the stream may be used again at the earliest, where the device is over its budget; nil for every other reason.
    public var resumesAt: UnixTime?

    /// Whether the stream may be used.
    public var allowed: Bool { reason == .allowed }

    /// A decision on `stream`.
    public init(
        stream: StreamName, reason: AccessReason, code: CoreMotionErrorCode?, since: UnixTime, refusedHalves: [Capability] = [],
        resumesAt: UnixTime? = nil
    ) {
        self.stream = stream
        self.reason = reason
        self.code = code
        self.since = since
        self.refusedHalves = refusedHalves
        self.resumesAt = resumesAt
    }
}

/// Frames or samples that are missing.
public struct Gap: Sendable, Equatable, Codable {
    /// What is counted.
    public enum Unit: String, Sendable, Codable, CaseIterable {
        /// Whole frames, by `seq`.
        case frames
        /// Samples, by timestamp and nominal rate.
        case samples
    }

    /// Why it is missing, where that is neither the device's nor the broker's doing.
    public enum Cause: String, Sendable, Codable, CaseIterable {
        /// What the gateway had stored cannot be read.
        case damaged
    }

    /// The stream with the gap.
    public var stream: StreamName
    /// What is counted.
    public var unit: Unit
    /// How many were expected.
    public var expected: Int
    /// How many were received.
    public var received: Int
    /// The last instant before the gap.
    public var from: DeviceTime
    /// The first instant after the gap.
    public var to: DeviceTime
    /// The first missing `seq`, where frames are counted.
    public var firstSequence: UInt64?
    /// Why; nil where frames or samples did not arrive.
    public var cause: Cause?
    /// How many gaps it stands for.
    public var count = 1
    /// The missing `seq` of frames where it stands for several gaps: they rise, and are not adjacent. `received` frames lie in them.
    public var ranges: [ClosedRange<UInt64>] = []

    /// A gap between `from` and `to`.
    public init(
        stream: StreamName, unit: Unit, expected: Int, received: Int, from: DeviceTime, to: DeviceTime,
        firstSequence: UInt64? = nil, cause: Cause? = nil
    ) {
        self.stream = stream
        self.unit = unit
        self.expected = expected
        self.received = received
        self.from = from
        self.to = to
        self.firstSequence = firstSequence
        self.cause = cause
    }
}
