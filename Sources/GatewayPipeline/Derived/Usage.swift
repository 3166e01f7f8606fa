package import TelemetryModel

/// What is counted together against a budget of a device.
package enum BudgetName: String, Sendable, Codable, CaseIterable {
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
package struct Usage: Sendable, Equatable, Codable {
    /// What was counted.
    package var budget: BudgetName
    /// The mean cost in units a second: a unit is 1,000 bytes, or 100 samples.
    package var units: Double
    /// What the mean may be, in units a second; nil where nothing is refused.
    package var limit: Double?
    /// Bytes of the payloads that were used.
    package var bytes: Int
    /// Samples that were used.
    package var samples: Int
    /// Frames that were used.
    package var frames: Int
    /// Frames that were refused because the device was over its budget.
    package var refused: Int
    /// The stream with the greatest cost.
    package var busiest: StreamName?
    /// Whether the device's clock runs so fast that its cost is counted by arrival.
    package var isClockTooFast: Bool
}
