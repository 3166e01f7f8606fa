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

/// One sample of sensors without fusion, in Core Motion's units and axes: the gateway works out attitude and gravity.
public struct RawMotion: Sendable, Hashable {
    /// Seconds of the monotonic clock.
    public var timestamp: Double
    /// G, gravity included, with Core Motion's sign: (0, 0, -1) for a device at rest face up. Most chips report the opposite.
    public var acceleration: Vector3
    /// rad/s about the device's axes, as the gyroscope reports it.
    public var rotationRate: Vector3
    /// Microtesla in the device's axes; nil where it is not measured. All samples of a frame have it, or none.
    public var magneticField: Vector3?
    /// Where the sensor is.
    public var sensorLocation: SensorLocation

    /// A sample.
    public init(
        timestamp: Double, acceleration: Vector3, rotationRate: Vector3, magneticField: Vector3? = nil,
        sensorLocation: SensorLocation = .default
    ) {
        self.timestamp = timestamp
        self.acceleration = acceleration
        self.rotationRate = rotationRate
        self.magneticField = magneticField
        self.sensorLocation = sensorLocation
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
