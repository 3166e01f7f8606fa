/// One sample of the accelerometer's history (`CMRecordedAccelerometerData`).
public struct RecordedAcceleration: Sendable, Hashable {
    /// The recorder's number of the sample; nil where it is not known. Of a list of samples all have one, or it is not sent.
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
