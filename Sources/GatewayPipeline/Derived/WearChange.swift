package import TelemetryModel

/// Whether a device is worn, by its recorded accelerometer.
package enum WearState: String, Sendable, Codable, CaseIterable {
    /// It moves as somebody who wears it does, even asleep.
    case worn
    /// It lies still for an hour or more.
    case notWorn
    /// There are no samples.
    case unknown
}

/// A change of whether a device is worn, and the period that it ended.
package struct WearChange: Sendable, Equatable, Codable {
    /// The state from `since` on.
    package var state: WearState
    /// When it began.
    package var since: UnixTime
    /// The state before; nil for the first, the same as `state` where samples that came late have undone the change.
    package var previous: WearState?
    /// When the state before began; nil for the first.
    package var start: UnixTime?
    /// When the state before ended; nil for the first.
    package var end: UnixTime?
    /// How often the change at this instant was published before with other values.
    package var revision: Int
}
