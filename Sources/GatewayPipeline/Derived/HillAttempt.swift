/// One run up or down a hill, compared with those before on the same one.
package struct HillAttempt: Sendable, Equatable {
    /// The segment that it is.
    package var segment: Segment
    /// The altitude at the end less that at the start in m.
    package var netClimb: Double
    /// The hill's number: hills of a device are numbered from 1 as they are found.
    package var hill: Int
    /// How often it has been run, this time included.
    package var attempt: Int
    /// The shortest time in s, this one included.
    package var bestDuration: Double
    /// The time in s before this one; nil of the first attempt.
    package var previousDuration: Double?
    /// The place of this time among all, from 1.
    package var rank: Int
    /// Whether no hill of the device was run before.
    package var isFirst: Bool

    /// Metres up, or down if negative, a minute; nil of a segment without duration.
    package var verticalSpeed: Double? { segment.duration > 0 ? netClimb / segment.duration * 60 : nil }
}
