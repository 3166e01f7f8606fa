/// What a device reports in `status`. Absent fields are not reported.
public struct DeviceStatus: Sendable, Hashable {
    /// Whether the device is connected to the broker; the raw value is its name on the wire.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// Connected.
        case online
        /// About to disconnect.
        case offline
    }

    /// What a device can measure; the raw value is its key in `available`.
    public enum Capability: String, Sendable, Hashable, CaseIterable {
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

    /// Whether the user lets the app read motion (`CMAuthorizationStatus`); the raw value is its name on the wire.
    public enum Authorization: String, Sendable, Hashable, CaseIterable {
        /// Not asked yet.
        case notDetermined
        /// Not the user's decision.
        case restricted
        /// Refused.
        case denied
        /// Given.
        case authorized
    }

    /// Left or right, of a wrist or of the crown; the raw value is its name on the wire.
    public enum Side: String, Sendable, Hashable, CaseIterable {
        /// Left.
        case left
        /// Right.
        case right
    }

    /// Online or offline.
    public var state: State
    /// The hardware identifier, such as `Watch6,18`: at most 128 bytes.
    public var model: String?
    /// System and version, such as `watchOS 10.4`: at most 128 bytes.
    public var os: String?
    /// The authorization of motion.
    public var authorization: Authorization?
    /// What the device can measure, and what it cannot; without entries nothing is reported.
    public var available: [Capability: Bool]
    /// The app's entitlements: at most 64, of at most 128 bytes each.
    public var entitlements: [String]?
    /// The wrist that the device is worn on.
    public var wristLocation: Side?
    /// The side of the crown.
    public var crownOrientation: Side?

    /// A status.
    public init(
        _ state: State, model: String? = nil, os: String? = nil, authorization: Authorization? = nil,
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
