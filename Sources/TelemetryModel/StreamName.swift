/// A stream of the wire contract; the raw value is the last level of its `in/` topic.
public enum StreamName: String, Sendable, Hashable, Codable, CaseIterable {
    /// Head motion from AirPods and the like (`CMHeadphoneMotionManager`).
    case headphoneMotion = "headphone-motion"
    /// Headphones connected or disconnected (`CMHeadphoneMotionManagerDelegate`).
    case headphoneConnection = "headphone-connection"
    /// Motion of the wrist or phone sample by sample (`CMMotionManager`), at most 100 Hz.
    case deviceMotion = "device-motion"
    /// About a second of 800 Hz accelerometer and 200 Hz device motion (`CMBatchedSensorManager`).
    case batchedIMU = "batched-imu"
    /// Depth, water temperature and submersion events (`CMWaterSubmersionManager`).
    case submersion
    /// The status that a device reports; retained.
    case status
    /// The state of the device's workout session (`HKWorkoutSession`); retained.
    case workout
    /// The recorded 50 Hz accelerometer history (`CMSensorRecorder`).
    case recordedAccelerometer = "recorded-accelerometer"
    /// Steps, paces, pauses (`CMPedometer`).
    case pedometer
    /// Relative altitude and pressure (`CMAltimeter`).
    case altimeter
    /// What Apple's movement disorder manager found (`CMMovementDisorderManager`).
    case movementDisorder = "movement-disorder"
    /// Commands of an app to the derivations of its device.
    case command

    private static let named = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })

    /// The stream with a name; nil where there is none. A look-up: the default would compare the names one by one.
    public init?(rawValue: String) {
        guard let stream = Self.named[rawValue] else { return nil }
        self = stream
    }

    /// Hashes the case; the default would hash its text.
    public func hash(into hasher: inout Hasher) { hasher.combine(place) }

    /// Its place among all streams.
    package var place: UInt8 {
        switch self {
        case .headphoneMotion: 0
        case .headphoneConnection: 1
        case .deviceMotion: 2
        case .batchedIMU: 3
        case .submersion: 4
        case .status: 5
        case .workout: 6
        case .recordedAccelerometer: 7
        case .pedometer: 8
        case .altimeter: 9
        case .movementDisorder: 10
        case .command: 11
        }
    }

    /// Whether devices publish the stream retained, so that an empty payload clears it.
    public var isRetained: Bool { self == .status || self == .workout }

    /// Whether the processing of all other streams depends on it.
    public var concernsAllStreams: Bool { self == .status || self == .workout || self == .command }

    /// Whether it is used however much a device sends: depth, and what the checks of all other streams depend on.
    public var isExemptFromBudget: Bool { self == .submersion || concernsAllStreams }

    /// Whether samples have a nominal rate, so that their absence is silence.
    public var hasNominalRate: Bool {
        switch self {
        case .headphoneMotion, .deviceMotion, .batchedIMU: true
        default: false
        }
    }

    /// Whether only admission is checked: no availability, authorization, entitlement or session check.
    public var needsOnlyKnown: Bool {
        switch self {
        case .status, .workout, .command, .headphoneConnection: true
        default: false
        }
    }
}
