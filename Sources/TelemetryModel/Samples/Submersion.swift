/// In or out of the water (`CMWaterSubmersionEvent.State`, raw 0-2).
public enum SubmersionState: Int, Sendable, Codable, CaseIterable {
    /// Not known.
    case unknown = 0
    /// Out of the water.
    case notSubmerged = 1
    /// In the water.
    case submerged = 2

    /// Core Motion's name of the case.
    public var name: String {
        switch self {
        case .unknown: "unknown"
        case .notSubmerged: "notSubmerged"
        case .submerged: "submerged"
        }
    }
}

/// How deep, in Core Motion's steps (`CMWaterSubmersionMeasurement.DepthState`); ordered by depth.
public enum DepthState: Int, Sendable, Codable, CaseIterable, Comparable {
    /// Nothing valid is known.
    case unknown = 0
    /// Out of the water.
    case notSubmerged = 100
    /// Less than 1 m deep.
    case submergedShallow = 200
    /// 1 m or deeper.
    case submergedDeep = 300
    /// Near the maximum depth of the entitlement.
    case approachingMaxDepth = 400
    /// Deeper than the maximum depth of the entitlement.
    case pastMaxDepth = 500
    /// So deep that depth and pressure are withheld.
    case sensorDepthError = 600

    /// Core Motion's name of the case.
    public var name: String {
        switch self {
        case .unknown: "unknown"
        case .notSubmerged: "notSubmerged"
        case .submergedShallow: "submergedShallow"
        case .submergedDeep: "submergedDeep"
        case .approachingMaxDepth: "approachingMaxDepth"
        case .pastMaxDepth: "pastMaxDepth"
        case .sensorDepthError: "sensorDepthError"
        }
    }

    /// The state of that name, if there is one.
    public init?(name: some StringProtocol) {
        guard let state = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = state
    }

    /// Orders by depth; `unknown` is lowest and has no depth.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The water was entered or left (`CMWaterSubmersionEvent`).
public struct SubmersionEvent: Sendable, Equatable, Codable {
    /// When the water was entered or left.
    public var time: DeviceTime
    /// What is true from then on.
    public var state: SubmersionState

    /// An event at `time`.
    public init(time: DeviceTime, state: SubmersionState) {
        self.time = time
        self.state = state
    }
}

/// One depth measurement (`CMWaterSubmersionMeasurement`).
public struct SubmersionMeasurement: Sendable, Equatable, Codable {
    /// When it was measured.
    public var time: DeviceTime
    /// Depth in m, positive downwards. May be implausible or not finite: the depth derivation checks it.
    public var depth: Double?
    /// Absolute pressure of the water, in kPa.
    public var pressure: Double?
    /// Absolute pressure of the air at the surface, in kPa.
    public var surfacePressure: Double?
    /// The depth state that the device reports.
    public var submersionState: DepthState?
    /// Whether `surfacePressure` is to be learned of the measurements out of the water; nil for no.
    package var learnsSurface: Bool?

    /// A measurement at `time`; everything else may be missing.
    public init(
        time: DeviceTime, depth: Double? = nil, pressure: Double? = nil, surfacePressure: Double? = nil,
        submersionState: DepthState? = nil
    ) {
        self.time = time
        self.depth = depth
        self.pressure = pressure
        self.surfacePressure = surfacePressure
        self.submersionState = submersionState
    }
}

/// One water temperature (`CMWaterTemperature`).
public struct WaterTemperatureSample: Sendable, Equatable, Codable {
    /// When it was measured.
    public var time: DeviceTime
    /// Degrees Celsius.
    public var temperature: Double
    /// A difference in degrees Celsius, 0 or more.
    public var uncertainty: Double

    /// A temperature at `time`.
    public init(time: DeviceTime, temperature: Double, uncertainty: Double) {
        self.time = time
        self.temperature = temperature
        self.uncertainty = uncertainty
    }
}

/// An error that the submersion manager reported.
public struct SubmersionError: Sendable, Equatable, Codable {
    /// When it was reported.
    public var time: DeviceTime
    /// A raw value of the `CMErrorDomain`.
    public var code: Int

    /// An error at `time`.
    public init(time: DeviceTime, code: Int) {
        self.time = time
        self.code = code
    }
}

/// What one submersion frame holds; each list is in time order.
public struct SubmersionSamples: Sendable, Equatable, Codable {
    /// Entering and leaving the water.
    public var events: [SubmersionEvent]
    /// Depths.
    public var measurements: [SubmersionMeasurement]
    /// Water temperatures.
    public var temperatures: [WaterTemperatureSample]
    /// What the device could not do.
    public var errors: [SubmersionError]
    /// The maximum depth that the device states, in m.
    public var maximumDepth: Double?

    /// Any of the four lists may be empty.
    public init(
        events: [SubmersionEvent] = [], measurements: [SubmersionMeasurement] = [],
        temperatures: [WaterTemperatureSample] = [], errors: [SubmersionError] = [], maximumDepth: Double? = nil
    ) {
        self.events = events
        self.measurements = measurements
        self.temperatures = temperatures
        self.errors = errors
        self.maximumDepth = maximumDepth
    }
}
