/// One series of accelerometer samples (`CMAccelerometerData`): total acceleration, gravity included.
public struct AccelerometerSamples: Sendable, Equatable, Codable {
    /// Device time of each sample in seconds, strictly increasing.
    public var timestamp: [Double]
    /// Total acceleration in G, Apple's sign: (0, 0, -1) for a device at rest face up. Never clamped: real peaks pass 34 G.
    public var acceleration: VectorColumns

    /// Columns of equal length; the caller has checked that.
    public init(timestamp: [Double] = [], acceleration: VectorColumns = .init()) {
        self.timestamp = timestamp
        self.acceleration = acceleration
    }

    /// The number of samples.
    public var count: Int { timestamp.count }

    /// The samples in `range`.
    public func slice(_ range: Range<Int>) -> Self {
        Self(timestamp: Array(timestamp[range]), acceleration: acceleration.slice(range))
    }
}

/// About a second of high-rate data (`CMBatchedSensorManager`); either half may be missing.
public struct BatchedIMU: Sendable, Equatable, Codable {
    /// Nominally 800 Hz.
    public var accelerometer: AccelerometerSamples?
    /// Nominally 200 Hz.
    public var deviceMotion: MotionSamples?

    /// At least one half is present; the caller has checked that.
    public init(accelerometer: AccelerometerSamples? = nil, deviceMotion: MotionSamples? = nil) {
        self.accelerometer = accelerometer
        self.deviceMotion = deviceMotion
    }
}
