/// The signal an impact was detected in: one axis of the accelerometer, or the length of the vector.
public enum ImpactAxis: String, Sendable, Codable, CaseIterable {
    /// The length of the acceleration vector.
    case magnitude
    /// The watch's x axis.
    case x
    /// The watch's y axis.
    case y
    /// The watch's z axis, perpendicular to the crown.
    case z
}

/// An impact measured by the accelerometer, with or without a swing around it.
public struct Impact: Sendable, Equatable, Codable {
    /// The sample at the peak.
    public var impactAt: DeviceTime
    /// The acceleration at the peak in G, unfiltered.
    public var peakAcceleration: Double
    /// What the peak was found in.
    public var axis: ImpactAxis

    /// An impact at `impactAt`.
    public init(impactAt: DeviceTime, peakAcceleration: Double, axis: ImpactAxis) {
        self.impactAt = impactAt
        self.peakAcceleration = peakAcceleration
        self.axis = axis
    }
}

/// One swing, decided to be a hit or a miss.
public struct Swing: Sendable, Equatable, Codable {
    /// The impact; nil on a miss.
    public var impactAt: DeviceTime?
    /// When the rotation about gravity began.
    public var startAt: DeviceTime
    /// The greatest acceleration within the swing in G; nil without accelerometer samples.
    public var peakAcceleration: Double?
    /// The greatest |rotationRate . gravity| in rad/s.
    public var peakRotationRate: Double
    /// |rotation about gravity| in rad, from the start to the impact or, on a miss, to the end.
    public var accumulatedRotation: Double
    /// 0-1: how far peak and rotation clear their thresholds, times coverage.
    public var confidence: Double
    /// 0-1: samples received over samples expected.
    public var coverage: Double
    /// The greatest speed of the bat's point before the impact, or at the peak of a miss, in m/s; nil unless the bat is described.
    public var batSpeed: Double?
    /// Its speed at the impact in m/s; nil on a miss, and unless the bat is described.
    public var batSpeedAtContact: Double?
    /// Whether a rotation rate was at the gyroscope's limit; nil unless the bat is described.
    public var isSaturated: Bool?
    /// Whether the speed is scaled to a measured one; nil unless the bat is described.
    public var isCalibrated: Bool?

    /// Whether something was hit.
    public var contact: Bool { impactAt != nil }
    /// Seconds from start to impact; nil on a miss.
    public var timeToContact: Double? { impactAt.map { $0 - startAt } }

    /// A swing from `startAt`.
    public init(
        impactAt: DeviceTime?, startAt: DeviceTime, peakAcceleration: Double?, peakRotationRate: Double,
        accumulatedRotation: Double, confidence: Double, coverage: Double
    ) {
        self.impactAt = impactAt
        self.startAt = startAt
        self.peakAcceleration = peakAcceleration
        self.peakRotationRate = peakRotationRate
        self.accumulatedRotation = accumulatedRotation
        self.confidence = confidence
        self.coverage = coverage
    }
}
