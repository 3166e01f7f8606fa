package import TelemetryModel

/// One stretch of walking or running, from a resumption to a pause.
package struct Segment: Sendable, Equatable {
    /// When it began.
    package var start: DeviceTime
    /// When it ended.
    package var end: DeviceTime
    /// Steps in it.
    package var steps: Double
    /// Its distance in m; nil where none was measured.
    package var distance: Double?
    /// The part of its duration in which data came, 0 to 1.
    package var coverage: Double
    /// Its climb; nil where altitude was not measured.
    package var climb: SegmentClimb?

    /// Its length in s, 0 or more.
    package var duration: Double { max(0, end - start) }

    /// Seconds for each metre; nil without a distance.
    package var averagePace: Double? { distance.flatMap { $0 > 0 ? duration / $0 : nil } }

    /// Steps a second; nil of a segment without duration.
    package var cadence: Double? { duration > 0 ? steps / duration : nil }

    /// Metres a step; nil without a distance or without steps.
    package var stepLength: Double? { distance.flatMap { steps > 0 ? $0 / steps : nil } }
}

/// How a segment goes up and down.
package struct SegmentClimb: Sendable, Equatable {
    /// A segment that is a hill.
    package enum Hill: String, Sendable, Codable, CaseIterable {
        /// Uphill.
        case up
        /// Downhill.
        case down
    }

    /// Metres up in all.
    package var ascent: Double
    /// Metres down in all, 0 or more.
    package var descent: Double
    /// The altitude at the end less that at the start in m.
    package var netClimb: Double
    /// Which hill it is; nil where it is none.
    package var hill: Hill?
    /// `netClimb` over the distance; nil without a distance.
    package var averageGrade: Double?
    /// The pace in s/m on level ground at the same cost; nil while walking and where altitude is missing.
    package var gradeAdjustedPace: Double?
    /// The cost in kJ for each kg of body mass; nil where altitude is missing.
    package var energy: Double?
}
