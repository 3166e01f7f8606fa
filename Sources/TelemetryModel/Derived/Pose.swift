/// The pose that a device's wearer holds.
public struct Pose: Sendable, Equatable, Codable {
    /// The name of the template; nil between poses.
    public var pose: String?
    /// When the hold began; nil between poses.
    public var since: DeviceTime?
    /// The angle from gravity to the template in rad; nil between poses.
    public var deviation: Double?
    /// The RMS angle in rad from the hold's own mean over the last 10 s; nil between poses.
    public var sway: Double?

    /// A pose, or none.
    public init(pose: String? = nil, since: DeviceTime? = nil, deviation: Double? = nil, sway: Double? = nil) {
        self.pose = pose
        self.since = since
        self.deviation = deviation
        self.sway = sway
    }
}

/// A pose that was held.
public struct PoseHold: Sendable, Equatable, Codable {
    /// The name of the template.
    public var pose: String
    /// The first sample of the hold.
    public var start: DeviceTime
    /// The last one.
    public var end: DeviceTime
    /// The RMS angle in rad from the hold's own mean.
    public var sway: Double
    /// The greatest angle in rad from the template.
    public var greatest: Double
    /// The smoothness of the way there: the spectral arc length of its speed; nil where it was not seen.
    public var grace: Double?
    /// Seconds that the way there took; nil where it was not seen.
    public var transition: Double?

    /// A hold from `start` to `end`.
    public init(
        pose: String, start: DeviceTime, end: DeviceTime, sway: Double, greatest: Double, grace: Double?, transition: Double?
    ) {
        self.pose = pose
        self.start = start
        self.end = end
        self.sway = sway
        self.greatest = greatest
        self.grace = grace
        self.transition = transition
    }
}
