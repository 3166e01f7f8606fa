import SignalProcessing
import TelemetryModel

/// A component of the contract that a field of a mapped payload can supply.
enum MappedComponent: String, Sendable, CaseIterable {
    case attitudeX = "attitude.x"
    case attitudeY = "attitude.y"
    case attitudeZ = "attitude.z"
    case attitudeW = "attitude.w"
    case rotationRateX = "rotationRate.x"
    case rotationRateY = "rotationRate.y"
    case rotationRateZ = "rotationRate.z"
    case userAccelerationX = "userAcceleration.x"
    case userAccelerationY = "userAcceleration.y"
    case userAccelerationZ = "userAcceleration.z"
    case gravityX = "gravity.x"
    case gravityY = "gravity.y"
    case gravityZ = "gravity.z"
    case sensorLocation
    case depth
    case pressure
    case surfacePressure
    case temperature
    case temperatureUncertainty
    case submersionState
    case relativeAltitude
    case altitude
    case accuracy
    case precision
    case numberOfSteps
    case distance
    case floorsAscended
    case floorsDescended

    /// The components that a sample of motion needs.
    static let motion: [Self] = [
        .attitudeX, .attitudeY, .attitudeZ, .attitudeW, .rotationRateX, .rotationRateY, .rotationRateZ, .userAccelerationX,
        .userAccelerationY, .userAccelerationZ, .gravityX, .gravityY, .gravityZ,
    ]

    /// The components of a stream, in the order of the documentation.
    static func all(of stream: StreamName) -> [Self] {
        switch stream {
        case .submersion: [.depth, .pressure, .surfacePressure, .temperature, .temperatureUncertainty, .submersionState]
        case .altimeter: [.relativeAltitude, .pressure, .altitude, .accuracy, .precision]
        case .pedometer: [.numberOfSteps, .distance, .floorsAscended, .floorsDescended]
        default: motion + [.sensorLocation]
        }
    }

    /// What it is a quantity of.
    var dimension: MappedDimension {
        switch self {
        case .attitudeX, .attitudeY, .attitudeZ, .attitudeW, .numberOfSteps, .floorsAscended, .floorsDescended: .number
        case .rotationRateX, .rotationRateY, .rotationRateZ: .rotationRate
        case .userAccelerationX, .userAccelerationY, .userAccelerationZ, .gravityX, .gravityY, .gravityZ: .acceleration
        case .depth, .relativeAltitude, .altitude, .accuracy, .precision, .distance: .length
        case .pressure, .surfacePressure: .pressure
        case .temperature, .temperatureUncertainty: .temperature
        case .sensorLocation, .submersionState: .word
        }
    }

    /// Whether it may be a constant.
    var mayBeConstant: Bool {
        switch self {
        case .surfacePressure, .temperatureUncertainty, .sensorLocation, .accuracy, .precision: true
        default: false
        }
    }

    /// Whether a sign may be given to it.
    var maySignChange: Bool { self == .depth || Self.motion.contains(self) }
}

/// The dimension of a component, with its units.
enum MappedDimension: String, Sendable, CaseIterable {
    case number = "a plain number"
    case acceleration = "an acceleration"
    case rotationRate = "a rotation rate"
    case length = "a length"
    case pressure = "a pressure"
    case temperature = "a temperature"
    case word = "a word"

    /// The symbols of its units.
    var units: [String] {
        switch self {
        case .number, .word: []
        case .acceleration: ["G", "m/s2"]
        case .rotationRate: ["rad/s", "deg/s"]
        case .length: LengthUnit.allCases.map(\.rawValue)
        case .pressure: PressureUnit.allCases.map(\.rawValue)
        case .temperature: TemperatureUnit.allCases.map(\.rawValue)
        }
    }

    /// The factor from `unit` to Core Motion's unit; 1 where the unit rules convert.
    static func scale(of unit: String?) -> Double {
        switch unit {
        case "m/s2": 1 / MotionConvention.standardGravity
        case "deg/s": .pi / 180
        default: 1
        }
    }
}

/// Where the value of a component comes from.
struct MappedField: Sendable, Equatable {
    /// The places a value can come from.
    enum Source: Sendable, Equatable {
        /// A place in the payload.
        case pointer(JSONPointer)
        /// The payload itself, where it is one number.
        case payload
        /// A number of the mapping's own.
        case number(Double)
        /// A word of the mapping's own.
        case word(String)
    }

    /// The place.
    var source: Source
    /// The symbol of the unit; nil for a component without a unit, or whose unit is measured.
    var unit: String?
    /// 1 or -1.
    var sign = 1.0

    /// `value` in the unit of the mapping; throws `unknownUnit` for a unit of another dimension.
    func quantity<Unit: MeasurementUnit>(_ value: Double) throws(Rejection) -> Quantity<Unit> {
        guard let unit = unit.flatMap(Unit.init(rawValue:)) else {
            throw Rejection(.unknownUnit, "the mapping names no unit of this quantity")
        }
        return Quantity(value * sign, unit)
    }
}
