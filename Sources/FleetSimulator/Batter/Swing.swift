/// One swing of a bat: the wrist turns about the direction of gravity, slowly first, fastest at the contact, and comes
/// to rest in a follow-through.
///
/// A sample up to 0.6 ms away from the impact still has two thirds of the burst. The rotation of a whole swing stays under 7
/// rad as long as `peakRotationRate` x (0.64 `timeToContact` + 0.5 `followThrough`) does.
package struct Swing: Sendable, Hashable {
    /// When the rotation leaves zero, seconds after the device's start.
    package var start: Double

    /// Seconds from the start to the contact, or, of a miss, to where it would have been: 0.15 to 0.35.
    package var timeToContact = 0.24

    /// The greatest rotation rate along gravity, rad/s, reached at the contact: over 8 and at most 25.
    package var peakRotationRate = 17.0

    /// The height of the burst of the impact, G: 15 to 40; nil for a miss.
    package var impactAcceleration: Double?

    /// The sense of the rotation seen from above.
    package var direction = Direction.counterclockwise

    /// Seconds from the contact to rest.
    package var followThrough = 0.2

    /// The sense of a rotation seen from above.
    package enum Direction: Sendable, Hashable {
        /// Positive along gravity.
        case clockwise
        /// Negative along gravity: a right-handed batter's.
        case counterclockwise
    }

    /// The instant of the impact, or nil, seconds after the device's start.
    package var impact: Double? { impactAcceleration == nil ? nil : contact }

    /// The rotation along gravity from the start to the contact, rad, without sign.
    package var rotationToContact: Double { peakRotationRate * timeToContact * 2 / .pi }
}
