import TelemetryModel

/// How fast somebody walks or runs, and whether they move at all.
package struct Pace: Sendable, Equatable {
    /// Whether they move.
    package enum State: String, Sendable, Codable, CaseIterable {
        /// They walk or run.
        case moving
        /// They stand.
        case paused
        /// Nothing is known.
        case unknown
    }

    /// Why the state is what it is.
    package enum Cause: String, Sendable, Codable, CaseIterable {
        /// The device reported a pause or a resumption.
        case event
        /// Steps came, or none came.
        case steps
        /// No data came.
        case silence
        /// The gateway restarted.
        case restart
        /// The workout began, paused, continued or ended.
        case workout
    }

    /// Whether they move.
    package var state: State
    /// The state of the message before.
    package var previous: State
    /// Why the state is what it is.
    package var cause: Cause
    /// The smoothed pace in s/m; nil while they stand, under 0.2 m/s, and without a measured distance.
    package var pace: Double?
    /// The smoothed cadence in steps/s; nil while they stand.
    package var cadence: Double?
    /// The pace in s/m as the device has it; nil where it does not say.
    package var devicePace: Double?
    /// The totals since the count began.
    package var totals: PaceTotals
}

/// What was counted since the count began.
package struct PaceTotals: Sendable, Equatable, Codable {
    /// Steps.
    package var steps = 0.0
    /// Distance in m; nil where it was not measured.
    package var distance: Double?
    /// Floors climbed; nil where they were not measured.
    package var floorsAscended: Double?
    /// Floors descended; nil where they were not measured.
    package var floorsDescended: Double?
    /// Seconds of movement.
    package var movingTime = 0.0
    /// Seconds from the start of the count.
    package var elapsedTime = 0.0

    /// Moving time for each metre in s/m; nil where no distance was measured.
    package var movingPace: Double? { distance.flatMap { $0 > 0 ? movingTime / $0 : nil } }
}
