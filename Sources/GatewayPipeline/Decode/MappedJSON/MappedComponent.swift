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
    case accelerationX = "acceleration.x"
    case accelerationY = "acceleration.y"
    case accelerationZ = "acceleration.z"
    case magneticFieldX = "magneticField.x"
    case magneticFieldY = "magneticField.y"
    case magneticFieldZ = "magneticField.z"
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

    static let attitude: [Self] = [.attitudeX, .attitudeY, .attitudeZ, .attitudeW]
    static let rotationRate: [Self] = [.rotationRateX, .rotationRateY, .rotationRateZ]
    static let userAcceleration: [Self] = [.userAccelerationX, .userAccelerationY, .userAccelerationZ]
    static let gravity: [Self] = [.gravityX, .gravityY, .gravityZ]
    static let acceleration: [Self] = [.accelerationX, .accelerationY, .accelerationZ]
    static let magneticField: [Self] = [.magneticFieldX, .magneticFieldY, .magneticFieldZ]

    /// The components that a sample of motion needs where the device has fused it.
    static let fusedMotion = attitude + rotationRate + userAcceleration + gravity
    /// The components that a sample of raw motion needs.
    static let rawMotion = rotationRate + acceleration

    /// The components of a stream, in the order of the documentation.
    static func all(of stream: StreamName) -> [Self] {
        switch stream {
        case .submersion: [.depth, .pressure, .surfacePressure, .temperature, .temperatureUncertainty, .submersionState]
        case .altimeter: [.relativeAltitude, .pressure, .altitude, .accuracy, .precision]
        case .pedometer: [.numberOfSteps, .distance, .floorsAscended, .floorsDescended]
        default: fusedMotion + acceleration + magneticField + [.sensorLocation]
        }
    }

    /// What it is a quantity of.
    var dimension: MappedDimension {
        switch self {
        case .attitudeX, .attitudeY, .attitudeZ, .attitudeW, .numberOfSteps, .floorsAscended, .floorsDescended: .number
        case .rotationRateX, .rotationRateY, .rotationRateZ: .rotationRate
        case .userAccelerationX, .userAccelerationY, .userAccelerationZ, .gravityX, .gravityY, .gravityZ, .accelerationX,
            .accelerationY, .accelerationZ:
            .acceleration
        case .magneticFieldX, .magneticFieldY, .magneticFieldZ: .magneticField
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
    var maySignChange: Bool { self == .depth || Self.all(of: .deviceMotion).contains(self) && self != .sensorLocation }
}

/// The dimension of a component, with its units.
enum MappedDimension: String, Sendable, CaseIterable {
    case number = "a plain number"
    case acceleration = "an acceleration"
    case rotationRate = "a rotation rate"
    case magneticField = "a magnetic field"
    case length = "a length"
    case pressure = "a pressure"
    case temperature = "a temperature"
    case word = "a word"

    /// The symbols of its units.
    var units: [String] {
        switch self {
        case .number, .word: []
        case .acceleration: AccelerationUnit.allCases.map(\.rawValue)
        case .rotationRate: RotationRateUnit.allCases.map(\.rawValue)
        case .magneticField: MagneticFieldUnit.allCases.map(\.rawValue)
        case .length: LengthUnit.allCases.map(\.rawValue)
        case .pressure: PressureUnit.allCases.map(\.rawValue)
        case .temperature: TemperatureUnit.allCases.map(\.rawValue)
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
        /// What the gateway learns of the sensor.
        case learned
    }

    /// The place.
    var source: Source
    /// The symbol of the unit; nil for a component without a unit, or whose unit is measured.
    var unit: String?
    /// 1 or -1.
    var sign = 1.0

    /// The place in the payload; empty where it is none.
    var pointer: String { if case .pointer(let pointer) = source { pointer.text } else { "" } }

    /// The factor to Core Motion's unit and sign; the sign alone where the unit rules convert.
    var scale: Double { sign * (unit.flatMap(MotionUnits.scale) ?? 1) }

    /// `value` in the unit of the mapping; throws `unknownUnit` for a unit of another dimension.
    func quantity<Unit: MeasurementUnit>(_ value: Double) throws(Rejection) -> Quantity<Unit> {
        guard let unit = unit.flatMap(Unit.init(rawValue:)) else {
            throw Rejection(.unknownUnit, "the mapping names no unit of this quantity")
        }
        return Quantity(value * sign, unit)
    }
}
