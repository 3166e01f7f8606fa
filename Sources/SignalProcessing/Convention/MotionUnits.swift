/// A unit of what a motion sensor measures; the raw value is its symbol in settings and messages.
package protocol MotionUnit: CaseIterable, RawRepresentable<String>, Sendable {
    /// How many of Core Motion's units it is.
    var scale: Double { get }
}

/// Units of acceleration; Core Motion's is G.
package enum AccelerationUnit: String, MotionUnit {
    case gravities = "G"
    case metersPerSecondSquared = "m/s2"
    case milligravities = "mg"

    package var scale: Double {
        switch self {
        case .gravities: 1
        case .metersPerSecondSquared: 1 / MotionConvention.standardGravity
        case .milligravities: 0.001
        }
    }
}

/// Units of rotation rate; Core Motion's is rad/s.
package enum RotationRateUnit: String, MotionUnit {
    case radiansPerSecond = "rad/s"
    case degreesPerSecond = "deg/s"
    case millidegreesPerSecond = "mdeg/s"

    package var scale: Double {
        switch self {
        case .radiansPerSecond: 1
        case .degreesPerSecond: .pi / 180
        case .millidegreesPerSecond: .pi / 180_000
        }
    }
}

/// Units of the magnetic field; Core Motion's is the microtesla. Gauss are not abbreviated: G is acceleration.
package enum MagneticFieldUnit: String, MotionUnit {
    case microteslas = "uT"
    case nanoteslas = "nT"
    case gauss
    case milligauss = "mgauss"

    package var scale: Double {
        switch self {
        case .microteslas: 1
        case .nanoteslas: 0.001
        case .gauss: 100
        case .milligauss: 0.1
        }
    }
}

/// All units of motion.
package enum MotionUnits {
    /// How many of Core Motion's units the unit with this symbol is; nil for a symbol of none.
    package static func scale(of symbol: String) -> Double? {
        AccelerationUnit(rawValue: symbol)?.scale ?? RotationRateUnit(rawValue: symbol)?.scale
            ?? MagneticFieldUnit(rawValue: symbol)?.scale
    }
}
