/// What was measured of a motion stream: its units and signs, where its producer does not state them, and what its sensors show, where it is
/// raw.
public struct MotionConventionReport: Sendable, Equatable, Codable {
    /// The units and signs of gravity and acceleration.
    public struct Units: Sendable, Equatable, Codable {
        /// The factor from its gravity to Core Motion's, in G.
        public var gravityScale: Double
        /// The factor from its acceleration to Core Motion's, in G.
        public var accelerationScale: Double
        /// Whether gravity and acceleration have the opposite of Core Motion's signs.
        public var standardised: Bool
        /// Whether yaw and pitch of the attitude have the opposite signs, too.
        public var turnsAttitude: Bool

        /// Units and signs.
        public init(gravityScale: Double, accelerationScale: Double, standardised: Bool, turnsAttitude: Bool) {
            self.gravityScale = gravityScale
            self.accelerationScale = accelerationScale
            self.standardised = standardised
            self.turnsAttitude = turnsAttitude
        }
    }

    /// The stream.
    public var stream: StreamName
    /// Its units and signs; nil where its producer states them, or they are not measured yet.
    public var units: Units?
    /// What its sensors show; nil where it is not raw, or nothing is known yet.
    public var sensors: SensorFinding?

    /// What was measured of `stream`.
    public init(stream: StreamName, units: Units? = nil, sensors: SensorFinding? = nil) {
        self.stream = stream
        self.units = units
        self.sensors = sensors
    }
}

/// What the sensors of a raw stream show.
public struct SensorFinding: Sendable, Equatable, Codable {
    /// How the axes of the rotation rate are to those of the acceleration.
    public enum Axes: Sendable, Equatable, Codable {
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
    public var axes: Axes?
    /// Whether samples were at the limit of a sensor's range.
    public var reachesLimit: Bool
    /// Whether the sensor turned evenly, faster than any bias that is estimated: its gyroscope is not calibrated, or it lay on something that turns.
    public var turnsEvenly: Bool
    /// The mean length of the acceleration in G where it cannot be right; nil where it can.
    public var meanAcceleration: Double?

    /// By default nothing.
    public init(
        axes: Axes? = nil, reachesLimit: Bool = false, turnsEvenly: Bool = false, meanAcceleration: Double? = nil
    ) {
        self.axes = axes
        self.meanAcceleration = meanAcceleration
        self.reachesLimit = reachesLimit
        self.turnsEvenly = turnsEvenly
    }
}

extension SensorFinding {
    private static let names = ["x", "y", "z"]

    /// The axes sent that x, y and z of the rotation rate must be, such as `-y`; nil where they are right.
    public var rotationAxes: [String]? {
        guard case .rotationRate(let axes, let signs) = axes else { return nil }
        return axes.indices.map { (signs[$0] < 0 ? "-" : "") + Self.names[axes[$0]] }
    }

    /// What the producer has to change; nil where nothing is known to be wrong.
    public var remedy: String? {
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
