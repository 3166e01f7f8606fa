/// Whether the user lets the app read motion (`CMAuthorizationStatus`, raw 0-3).
public enum Authorization: String, Sendable, Codable, CaseIterable {
    /// Not asked yet.
    case notDetermined
    /// Not the user's decision.
    case restricted
    /// Refused.
    case denied
    /// Given.
    case authorized
}

/// Left or right (`WKInterfaceDeviceWristLocation`, `WKInterfaceDeviceCrownOrientation`).
public enum Side: String, Sendable, Codable, CaseIterable {
    /// Left.
    case left
    /// Right.
    case right
}

/// A capability that a device has or lacks, by its key in `available`.
public enum Capability: String, Sendable, Codable, CaseIterable {
    /// `CMHeadphoneMotionManager.isDeviceMotionAvailable`.
    case headphoneMotion
    /// `CMMotionManager.isDeviceMotionAvailable`.
    case deviceMotion
    /// `CMWaterSubmersionManager.waterSubmersionAvailable`.
    case waterSubmersion
    /// `CMBatchedSensorManager.isAccelerometerSupported`.
    case accelerometerBatch
    /// `CMBatchedSensorManager.isDeviceMotionSupported`.
    case deviceMotionBatch
    /// `CMSensorRecorder.isAccelerometerRecordingAvailable()`.
    case recordedAccelerometer
    /// `CMPedometer.isStepCountingAvailable()`.
    case pedometer
    /// `CMPedometer.isPedometerEventTrackingAvailable()`.
    case pedometerEvents
    /// `CMAltimeter.isRelativeAltitudeAvailable()`.
    case altimeter
    /// `CMAltimeter.isAbsoluteAltitudeAvailable()`.
    case absoluteAltimeter
    /// `CMMovementDisorderManager.isAvailable()`.
    case movementDisorder
}

/// The status that a device reports.
public struct DeviceStatus: Sendable, Equatable, Codable {
    /// Whether the device is online.
    public enum State: String, Sendable, Codable, CaseIterable {
        /// Connected to the broker.
        case online
        /// Disconnected, by its own report or by its last will.
        case offline
    }

    /// Online or offline.
    public var state: State
    /// The hardware identifier, such as `Watch6,18`: at most 128 bytes.
    public var model: String?
    /// System and version, such as `watchOS 10.4`: at most 128 bytes.
    public var os: String?
    /// Motion authorization; nil when the device does not report it.
    public var authorization: Authorization?
    /// Whether the device has each capability; absent ones were not reported.
    public var available: [Capability: Bool]
    /// Entitlement strings, at most 64 of at most 128 bytes each; nil when the device does not report them.
    public var entitlements: [String]?
    /// The wrist the device is worn on.
    public var wristLocation: Side?
    /// The side the crown is on.
    public var crownOrientation: Side?

    /// A status; all fields but the state are optional.
    public init(
        state: State, model: String? = nil, os: String? = nil, authorization: Authorization? = nil,
        available: [Capability: Bool] = [:], entitlements: [String]? = nil, wristLocation: Side? = nil,
        crownOrientation: Side? = nil
    ) {
        self.state = state
        self.model = model
        self.os = os
        self.authorization = authorization
        self.available = available
        self.entitlements = entitlements
        self.wristLocation = wristLocation
        self.crownOrientation = crownOrientation
    }
}

/// How deep a device may measure: which depth entitlement its app holds.
public enum DepthEntitlement: String, Sendable, Codable, CaseIterable, Comparable {
    /// No depth entitlement.
    case none
    /// `com.apple.developer.submerged-shallow-depth-and-pressure`: 6 m.
    case shallow
    /// `com.apple.developer.submerged-depth-and-pressure`: 40 m.
    case full

    /// The maximum depth in m; nil without an entitlement.
    public var maximumDepth: Double? {
        switch self {
        case .none: nil
        case .shallow: 6
        case .full: 40
        }
    }

    /// The deepest that a list of entitlement strings grants.
    public init(entitlements: [String]) {
        if entitlements.contains("com.apple.developer.submerged-depth-and-pressure") {
            self = .full
        } else if entitlements.contains("com.apple.developer.submerged-shallow-depth-and-pressure") {
            self = .shallow
        } else {
            self = .none
        }
    }

    /// Orders by maximum depth.
    public static func < (left: Self, right: Self) -> Bool { (left.maximumDepth ?? 0) < (right.maximumDepth ?? 0) }
}
