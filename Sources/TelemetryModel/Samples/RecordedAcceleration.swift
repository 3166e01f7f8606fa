/// A series of the recorded accelerometer history (`CMRecordedAccelerometerData`): total acceleration, gravity included.
public struct RecordedAcceleration: Sendable, Equatable, Codable {
    /// A number of each sample, increasing; nil where the device does not report it.
    public var identifier: [Int64]?
    /// When each sample was measured, on the wall clock, increasing by 5 to 500 ms.
    public var startDate: [UnixTime]
    /// Total acceleration in G, Apple's sign: (0, 0, -1) for a device at rest face up.
    public var acceleration: VectorColumns

    /// Columns of equal length; the caller has checked that.
    public init(identifier: [Int64]? = nil, startDate: [UnixTime], acceleration: VectorColumns) {
        self.identifier = identifier
        self.startDate = startDate
        self.acceleration = acceleration
    }

    /// The number of samples.
    public var count: Int { startDate.count }
}
