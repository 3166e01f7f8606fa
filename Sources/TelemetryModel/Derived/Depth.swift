/// Why a depth state changed.
public enum DepthCause: String, Sendable, Codable, CaseIterable {
    /// A measurement.
    case sample
    /// A submersion event.
    case event
    /// The data stopped under water.
    case silence
    /// The gateway restarted, or stops.
    case restart
    /// Another gateway takes the device: the old one stops, or the new one starts.
    case handover
    /// The device restarted.
    case reboot
    /// The device may no longer be measured.
    case access
    /// The sensor data are contradictory.
    case fault
}

/// A change of a device's depth state or of its quality.
public struct DepthStateChange: Sendable, Equatable, Codable {
    /// The state from now on.
    public var state: DepthState
    /// The state until now.
    public var previous: DepthState
    /// Why it changed.
    public var cause: DepthCause
    /// Depth in m; nil when not known or withheld.
    public var depth: Double?
    /// The limit of the device's entitlement in m.
    public var maximumDepth: Double?
    /// Absolute pressure of the air at the surface in kPa.
    public var surfacePressure: Double?
    /// Whether it was read from a frame before the frames before it had come; `previous` is then not known.
    public var isEarly = false

    /// A change from `previous` to `state`.
    public init(
        state: DepthState, previous: DepthState, cause: DepthCause, depth: Double? = nil, maximumDepth: Double? = nil,
        surfacePressure: Double? = nil
    ) {
        self.state = state
        self.previous = previous
        self.cause = cause
        self.depth = depth
        self.maximumDepth = maximumDepth
        self.surfacePressure = surfacePressure
    }
}

/// The temperature of the water.
public struct WaterTemperature: Sendable, Equatable, Codable {
    /// Degrees Celsius.
    public var temperature: Double
    /// A difference in degrees Celsius.
    public var uncertainty: Double
    /// Whether the uncertainty has come down to the configured limit.
    public var converged: Bool

    /// A temperature with its uncertainty.
    public init(temperature: Double, uncertainty: Double, converged: Bool) {
        self.temperature = temperature
        self.uncertainty = uncertainty
        self.converged = converged
    }
}

/// One dive, published once the diver is back at the surface.
public struct Dive: Sendable, Equatable, Codable {
    /// The first crossing of the entry depth.
    public var start: DeviceTime
    /// The last crossing of the entry depth.
    public var end: DeviceTime
    /// Greatest depth in m; nil once depth was withheld.
    public var deepest: Double?
    /// Mean depth in m over the time under water; nil once depth was withheld.
    public var averageDepth: Double?
    /// Lowest water temperature in degrees Celsius, if any was measured.
    public var minimumTemperature: Double?
    /// Fastest ascent in m/s over the configured window.
    public var ascentRate: Double
    /// Seconds at the surface since the dive before, if there was one.
    public var surfaceInterval: Double?
    /// Seconds at the surface between start and end.
    public var surfaceTime: Double
    /// How deep it was over time; nil where that was not collected.
    public var profile: DiveProfile?

    /// Seconds from start to end, in device time.
    public var duration: Double { end - start }

    /// A dive from `start` to `end`.
    public init(
        start: DeviceTime, end: DeviceTime, deepest: Double?, averageDepth: Double?, minimumTemperature: Double?,
        ascentRate: Double, surfaceInterval: Double?, surfaceTime: Double = 0, profile: DiveProfile? = nil
    ) {
        self.start = start
        self.end = end
        self.deepest = deepest
        self.averageDepth = averageDepth
        self.minimumTemperature = minimumTemperature
        self.ascentRate = ascentRate
        self.surfaceInterval = surfaceInterval
        self.surfaceTime = surfaceTime
        self.profile = profile
    }
}

/// The depths of a dive in intervals of equal length, at most 256, from its start on.
public struct DiveProfile: Sendable, Equatable, Codable {
    /// The length of an interval in s: 1, or a power of two.
    public var interval: Double
    /// The deepest depth of each interval in m; nil where a depth of it was withheld, or none was measured.
    public var depth: [Double?]

    /// A profile.
    public init(interval: Double, depth: [Double?]) {
        self.interval = interval
        self.depth = depth
    }
}

/// What a device could not measure under water, and how often.
public struct SubmersionErrorReport: Sendable, Equatable, Codable {
    /// Core Motion's error code; nil once a measurement has arrived again.
    public var code: Int?
    /// How often it was reported since the last measurement.
    public var count: Int
    /// When it was first reported since then.
    public var since: DeviceTime?

    /// A report of `count` errors.
    public init(code: Int?, count: Int, since: DeviceTime?) {
        self.code = code
        self.count = count
        self.since = since
    }
}
