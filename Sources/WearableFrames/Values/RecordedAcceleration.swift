/// One sample of the accelerometer's history (`CMRecordedAccelerometerData`).
public struct RecordedAcceleration: Sendable, Hashable {
    /// A number of the sample alone, greater than that of the one before; nil where there is none. Of a list of samples all
    /// have one, or it is not sent.
    public var identifier: UInt64?
    /// When it was measured, in unix seconds: the recording may be of an earlier boot.
    public var startDate: Double
    /// G, gravity included, each axis -64 to 64.
    public var acceleration: Vector3

    /// A sample.
    public init(identifier: UInt64? = nil, startDate: Double, acceleration: Vector3) {
        self.identifier = identifier
        self.startDate = startDate
        self.acceleration = acceleration
    }
}
