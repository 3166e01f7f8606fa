package import TelemetryModel

/// The pose that a device's wearer holds.
package struct Pose: Sendable, Equatable, Codable {
    /// The name of the template; nil between poses.
    package var pose: String?
    /// When the hold began; nil between poses.
    package var since: DeviceTime?
    /// The angle from gravity to the template in rad; nil between poses.
    package var deviation: Double?
    /// The RMS angle in rad from the hold's own mean over the last 10 s; nil between poses.
    package var sway: Double?
}

/// A pose that was held.
package struct PoseHold: Sendable, Equatable, Codable {
    /// The name of the template.
    package var pose: String
    /// The first sample of the hold.
    package var start: DeviceTime
    /// The last one.
    package var end: DeviceTime
    /// The RMS angle in rad from the hold's own mean.
    package var sway: Double
    /// The greatest angle in rad from the template.
    package var greatest: Double
    /// The smoothness of the way there: the spectral arc length of its speed; nil where it was not seen.
    package var grace: Double?
    /// Seconds that the way there took; nil where it was not seen.
    package var transition: Double?
}
