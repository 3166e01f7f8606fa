import SignalProcessing

/// What a column of a log of raw motion can hold.
package enum SensorField: String, ColumnField {
    /// When the row was measured.
    case time = "t"
    /// The date, where it stands apart from the time of day.
    case date
    /// Acceleration with gravity, along the sensor's axes.
    case accelerationX = "ax"
    case accelerationY = "ay"
    case accelerationZ = "az"
    /// Rotation rate about them.
    case rotationX = "gx"
    case rotationY = "gy"
    case rotationZ = "gz"
    /// The magnetic field along them.
    case fieldX = "mx"
    case fieldY = "my"
    case fieldZ = "mz"
    /// The attitude as a quaternion, of sensors that fuse.
    case attitudeX = "qx"
    case attitudeY = "qy"
    case attitudeZ = "qz"
    case attitudeW = "qw"
    /// Acceleration without gravity.
    case userX = "ux"
    case userY = "uy"
    case userZ = "uz"
    /// Gravity.
    case gravityX = "gravx"
    case gravityY = "gravy"
    case gravityZ = "gravz"

    static let attitude: [Self] = [.attitudeX, .attitudeY, .attitudeZ, .attitudeW]
    static let userAcceleration: [Self] = [.userX, .userY, .userZ]
    static let gravity: [Self] = [.gravityX, .gravityY, .gravityZ]
    static let acceleration: [Self] = [.accelerationX, .accelerationY, .accelerationZ]
    static let rotation: [Self] = [.rotationX, .rotationY, .rotationZ]
    static let magneticField: [Self] = [.fieldX, .fieldY, .fieldZ]

    package var units: [String: String] {
        switch self {
        case .time: RowClock.Unit.spellings
        case .date, .attitudeX, .attitudeY, .attitudeZ, .attitudeW: [:]
        case .accelerationX, .accelerationY, .accelerationZ, .userX, .userY, .userZ, .gravityX, .gravityY, .gravityZ:
            Self.spelled(AccelerationUnit.allCases.map(\.rawValue), also: ["m/s^2": "m/s2", "m/s²": "m/s2"])
        case .rotationX, .rotationY, .rotationZ:
            Self.spelled(
                RotationRateUnit.allCases.map(\.rawValue), also: ["°/s": "deg/s", "dps": "deg/s", "mdps": "mdeg/s"])
        case .fieldX, .fieldY, .fieldZ: Self.spelled(MagneticFieldUnit.allCases.map(\.rawValue), also: ["µt": "uT", "μt": "uT"])
        }
    }

    package var maySignChange: Bool { self != .time && self != .date }

    private static func spelled(_ units: [String], also spellings: [String: String] = [:]) -> [String: String] {
        units.reduce(into: spellings) { $0[$1.lowercased()] = $1 }
    }
}
