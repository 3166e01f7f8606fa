/// What is counted together against a budget of a device.
public enum BudgetName: String, Sendable, Codable, CaseIterable {
    /// The streams of the safety lane.
    case safety
    /// The streams of the motion lane.
    case motion
    /// The streams of the bulk lane.
    case bulk
    /// The recorded history, on whichever lane it is.
    case history
}

/// What a device cost within a minute of its clock.
public struct Usage: Sendable, Equatable, Codable {
    /// What was counted.
    public var budget: BudgetName
    /// The mean cost in units a second: a unit is 1,000 bytes, or 100 samples.
    public var units: Double
    /// What the mean may be, in units a second; nil where nothing is refused.
    public var limit: Double?
    /// Bytes of the payloads that were used.
    public var bytes: Int
    /// Samples that were used.
    public var samples: Int
    /// Frames that were used.
    public var frames: Int
    /// Frames that were refused because the device was over its budget.
    public var refused: Int
    /// The stream with the greatest cost.
    public var busiest: StreamName?
    /// Whether the device's clock runs so fast that its cost is counted by arrival.
    public var isClockTooFast: Bool

    /// The cost of a minute.
    public init(
        budget: BudgetName, units: Double, limit: Double?, bytes: Int, samples: Int, frames: Int, refused: Int,
        busiest: StreamName?, isClockTooFast: Bool
    ) {
        self.budget = budget
        self.units = units
        self.limit = limit
        self.bytes = bytes
        self.samples = samples
        self.frames = frames
        self.refused = refused
        self.busiest = busiest
        self.isClockTooFast = isClockTooFast
    }
}
