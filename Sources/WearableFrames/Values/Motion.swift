/// Three numbers along the axes of a device.
public struct Vector3: Sendable, Hashable {
    /// The components.
    public var x, y, z: Double

    /// A vector.
    public init(x: Double, y: Double, z: Double) {
        (self.x, self.y, self.z) = (x, y, z)
    }
}

/// A rotation of the device relative to the reference frame, scalar last as in Core Motion.
public struct Quaternion: Sendable, Hashable {
    /// The components; together of unit length.
    public var x, y, z, w: Double

    /// A quaternion.
    public init(x: Double, y: Double, z: Double, w: Double) {
        (self.x, self.y, self.z, self.w) = (x, y, z, w)
    }
}

/// One sample of device motion, in Core Motion's units (`CMDeviceMotion`).
public struct Motion: Sendable, Hashable {
    /// Seconds of the monotonic clock.
    public var timestamp: Double
    /// The attitude relative to the reference frame.
    public var attitude: Quaternion
    /// rad/s about the device's axes.
    public var rotationRate: Vector3
    /// G, without gravity.
    public var userAcceleration: Vector3
    /// G, of unit length, downwards.
    public var gravity: Vector3
    /// Where the sensor is.
    public var sensorLocation: SensorLocation
    /// Degrees clockwise from north; negative where invalid, nil where not measured.
    public var heading: Double?

    /// A sample.
    public init(
        timestamp: Double, attitude: Quaternion, rotationRate: Vector3, userAcceleration: Vector3, gravity: Vector3,
        sensorLocation: SensorLocation = .default, heading: Double? = nil
    ) {
        self.timestamp = timestamp
        self.attitude = attitude
        self.rotationRate = rotationRate
        self.userAcceleration = userAcceleration
        self.gravity = gravity
        self.sensorLocation = sensorLocation
        self.heading = heading
    }
}

/// One sample of the accelerometer (`CMAccelerometerData`): total acceleration in G.
public struct Acceleration: Sendable, Hashable {
    /// Seconds of the monotonic clock.
    public var timestamp: Double
    /// G, gravity included.
    public var acceleration: Vector3

    /// A sample.
    public init(timestamp: Double, acceleration: Vector3) {
        self.timestamp = timestamp
        self.acceleration = acceleration
    }
}

/// Where a motion sensor is (`CMDeviceMotion.SensorLocation`); the raw value is its name on the wire.
public enum SensorLocation: String, Sendable, Hashable, CaseIterable {
    /// In the device.
    case `default`
    /// In the left headphone.
    case headphoneLeft
    /// In the right headphone.
    case headphoneRight
}

/// What attitudes are relative to (`CMAttitudeReferenceFrame`); the raw value is its name on the wire.
public enum ReferenceFrame: String, Sendable, Hashable, CaseIterable {
    /// Z is vertical, X anywhere.
    case xArbitraryZVertical
    /// Z is vertical, X anywhere, its drift corrected by the magnetometer.
    case xArbitraryCorrectedZVertical
    /// Z is vertical, X points to magnetic north.
    case xMagneticNorthZVertical
    /// Z is vertical, X points to true north.
    case xTrueNorthZVertical
}

/// A change of the headphones' connection; the raw value is its name on the wire.
public enum HeadphoneEvent: String, Sendable, Hashable, CaseIterable {
    /// Connected, or put back in the ears.
    case didConnect
    /// Disconnected, or taken out of the ears.
    case didDisconnect
}

/// A command of an app to what is derived of its device; the raw value is its name on the wire.
public enum Command: String, Sendable, Hashable, CaseIterable {
    /// Take the next calm moment as the reference of the head pose.
    case resetHeadPose
    /// Count strokes, punches and sets from zero.
    case resetCounts
    /// Take the next calm moment as the neutral posture.
    case calibratePosture
    /// Take the next calm moment as a pose; needs its name.
    case learnPose
    /// Drop a pose that was learned; needs its name.
    case forgetPose

    /// Whether the command is about a pose, and so needs its name.
    public var needsName: Bool { self == .learnPose || self == .forgetPose }
}
