import SignalProcessing

/// What a column of a log of raw motion can hold.
package enum SensorField: String, ColumnField {
    /// When the row was measured.
    case time = "t"
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

    static let acceleration: [Self] = [.accelerationX, .accelerationY, .accelerationZ]
    static let rotation: [Self] = [.rotationX, .rotationY, .rotationZ]
    static let magneticField: [Self] = [.fieldX, .fieldY, .fieldZ]

    package var units: [String: String] {
        switch self {
        case .time: Self.spelled(RowClock.Unit.allCases.map(\.rawValue))
        case .accelerationX, .accelerationY, .accelerationZ:
            Self.spelled(AccelerationUnit.allCases.map(\.rawValue), also: ["m/s^2": "m/s2", "m/s²": "m/s2"])
        case .rotationX, .rotationY, .rotationZ:
            Self.spelled(
                RotationRateUnit.allCases.map(\.rawValue), also: ["°/s": "deg/s", "dps": "deg/s", "mdps": "mdeg/s"])
        case .fieldX, .fieldY, .fieldZ: Self.spelled(MagneticFieldUnit.allCases.map(\.rawValue), also: ["µt": "uT", "μt": "uT"])
        }
    }

    package var maySignChange: Bool { self != .time }

    private static func spelled(_ units: [String], also spellings: [String: String] = [:]) -> [String: String] {
        units.reduce(into: spellings) { $0[$1.lowercased()] = $1 }
    }
}
