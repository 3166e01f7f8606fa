package import TelemetryModel

/// The signal an impact was detected in: one axis of the accelerometer, or the length of the vector.
package enum ImpactAxis: String, Sendable, Codable, CaseIterable {
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
package struct Impact: Sendable, Equatable, Codable {
    /// The sample at the peak.
    package var impactAt: DeviceTime
    /// The acceleration at the peak in G, unfiltered.
    package var peakAcceleration: Double
    /// What the peak was found in.
    package var axis: ImpactAxis
}

/// One swing, decided to be a hit or a miss.
package struct Swing: Sendable, Equatable, Codable {
    /// The impact; nil on a miss.
    package var impactAt: DeviceTime?
    /// When the rotation about gravity began.
    package var startAt: DeviceTime
    /// The greatest acceleration within the swing in G; nil without accelerometer samples.
    package var peakAcceleration: Double?
    /// The greatest |rotationRate . gravity| in rad/s.
    package var peakRotationRate: Double
    /// |rotation about gravity| in rad, from the start to the impact or, on a miss, to the end.
    package var accumulatedRotation: Double
    /// 0-1: how far peak and rotation clear their thresholds, times coverage.
    package var confidence: Double
    /// 0-1: samples received over samples expected.
    package var coverage: Double
    /// The greatest speed of the bat's point before the impact, or at the peak of a miss, in m/s; nil unless the bat is described.
    package var batSpeed: Double?
    /// Its speed at the impact in m/s; nil on a miss, and unless the bat is described.
    package var batSpeedAtContact: Double?
    /// Whether a rotation rate was at the gyroscope's limit; nil unless the bat is described.
    package var isSaturated: Bool?
    /// Whether the speed is scaled to a measured one; nil unless the bat is described.
    package var isCalibrated: Bool?

    /// Whether something was hit.
    package var contact: Bool { impactAt != nil }
    /// Seconds from start to impact; nil on a miss.
    package var timeToContact: Double? { impactAt.map { $0 - startAt } }
}
