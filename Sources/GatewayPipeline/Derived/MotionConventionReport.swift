package import TelemetryModel

/// What was measured of a motion stream: its units and signs, where its producer does not state them, and what its sensors show, where it is
/// raw.
package struct MotionConventionReport: Sendable, Equatable, Codable {
    /// The units and signs of gravity and acceleration.
    package struct Units: Sendable, Equatable, Codable {
        /// The factor from its gravity to Core Motion's, in G.
        package var gravityScale: Double
        /// The factor from its acceleration to Core Motion's, in G.
        package var accelerationScale: Double
        /// Whether gravity and acceleration have the opposite of Core Motion's signs.
        package var standardised: Bool
        /// Whether yaw and pitch of the attitude have the opposite signs, too.
        package var turnsAttitude: Bool
    }

    /// The stream.
    package var stream: StreamName
    /// Its units and signs; nil where its producer states them, or they are not measured yet.
    package var units: Units?
    /// What its sensors show; nil where it is not raw, or nothing is known yet.
    package var sensors: SensorFinding?
}

/// What the sensors of a raw stream show.
package struct SensorFinding: Sendable, Equatable, Codable {
    /// How the axes of the rotation rate are to those of the acceleration.
    package enum Axes: Sendable, Equatable, Codable {
        /// They are the same, and right-handed.
        case agree
        /// They are others: x, y and z of the rotation rate must be these of the axes sent (0 x, 1 y, 2 z), with these signs.
        case rotationRate(axes: [Int], signs: SIMD3<Double>)
        /// They are the same, and left-handed.
        case leftHanded
        /// They cannot be told: the rotation rate is in degrees and not in rad, or the other way round.
        case rotationUnit(isTooLarge: Bool)
    }

    /// The axes; nil while there was too little rotation to tell.
    package var axes: Axes?
    /// Whether samples were at the limit of a sensor's range.
    package var reachesLimit = false
    /// Whether the sensor turned evenly, faster than any bias that is estimated: its gyroscope is not calibrated, or it lay on something that turns.
    package var turnsEvenly = false
    /// The mean length of the acceleration in G where it cannot be right; nil where it can.
    package var meanAcceleration: Double?
}

extension SensorFinding {
    private static let names = ["x", "y", "z"]

    /// The axes sent that x, y and z of the rotation rate must be, such as `-y`; nil where they are right.
    package var rotationAxes: [String]? {
        guard case .rotationRate(let axes, let signs) = axes else { return nil }
        return axes.indices.map { (signs[$0] < 0 ? "-" : "") + Self.names[axes[$0]] }
    }

    /// What the producer has to change; nil where nothing is known to be wrong.
    package var remedy: String? {
        var parts: [String] = []
        switch axes {
        case .rotationRate(let axes, let signs):
            let changes = axes.indices.filter { axes[$0] != $0 || signs[$0] < 0 }.map { index in
                "rotationRate.\(Self.names[index]): { pointer: that of rotationRate.\(Self.names[axes[index]])"
                    + (signs[index] < 0 ? ", the opposite sign" : "") + " }"
            }
            parts.append(
                "the axes of the gyroscope differ from those of the accelerometer; in the mapping "
                    + changes.joined(separator: ", "))
        case .leftHanded:
            parts.append(
                "the axes are left-handed: if all of rotationRate is negated, remove that; else give acceleration.x and "
                    + "rotationRate.x the opposite sign in the mapping, or another axis of both")
        case .rotationUnit(let isTooLarge):
            parts.append(
                isTooLarge
                    ? "the rotation rate is 57 times too large: it is in degrees/s; name that unit in the mapping, or send rad/s"
                    : "the rotation rate is 57 times too small: it is in rad/s; name that unit in the mapping")
        case .agree, nil: break
        }
        if let meanAcceleration {
            parts.append("the mean acceleration is \(meanAcceleration) G, not about 1: check its unit and the sensor's range")
        }
        if reachesLimit { parts.append("the motion exceeds the range of a sensor; set a larger range") }
        if turnsEvenly { parts.append("the gyroscope turns evenly at rest; calibrate it") }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }
}
