/// How likely dyskinesia was in a minute, as Apple's movement disorder manager found: for research, never a diagnosis.
public struct Dyskinesia: Sendable, Equatable, Codable {
    /// The start of the minute.
    public var start: DeviceTime
    /// Its end.
    public var end: DeviceTime
    /// The share in which it was unlikely.
    public var unlikely: Double
    /// The share in which it was likely.
    public var likely: Double
    /// How often the minute was published before with other values.
    public var revision = 0

    /// Shares from `start` to `end`.
    public init(start: DeviceTime, end: DeviceTime, unlikely: Double, likely: Double) {
        (self.start, self.end, self.unlikely, self.likely) = (start, end, unlikely, likely)
    }
}
