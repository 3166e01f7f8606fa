package import TelemetryModel

/// One punch.
package struct Punch: Sendable, Equatable, Codable {
    /// An axis of the device.
    package enum Direction: String, Sendable, Codable, CaseIterable {
        /// Along the forearm.
        case x
        /// Across it, along the screen.
        case y
        /// Out of the screen.
        case z
    }

    /// The sample of the greatest acceleration.
    package var impactAt: DeviceTime
    /// The acceleration there in G, without gravity.
    package var peakAcceleration: Double
    /// The axis of its greatest component.
    package var direction: Direction
    /// The change of speed along that axis in the time before, in m/s; nil where samples are missing.
    package var speedBefore: Double?
    /// The greatest acceleration the other way just after, in G; nil for none.
    package var recoil: Double?
    /// Seconds from the impact to it; nil for none.
    package var recoilTime: Double?
    /// Punches since the workout began, this one included.
    package var count: Int
    /// How likely it is a punch, 0-1.
    package var confidence = 0.0
    /// The wrist; nil where it is not known.
    package var hand: Side?
    /// The rate of the samples in Hz: 800, 200, 100, 50 or 25.
    package var sampleRate: Int
    /// Whether the sensor may have been at its limit: three samples are within 2 % of the greatest.
    package var clipped: Bool
}
