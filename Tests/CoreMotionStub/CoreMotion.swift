// The part of Apple's Core Motion that WearableFrames reads, with the signatures of
// https://developer.apple.com/documentation/coremotion. Apple's classes have no initialisers for an app: those here are for tests.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
public import Foundation

/// An acceleration in G.
public struct CMAcceleration {
    public var x, y, z: Double

    public init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }
}

/// A rotation rate in rad/s.
public struct CMRotationRate {
    public var x, y, z: Double

    public init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }
}

/// An attitude.
public struct CMQuaternion {
    public var x, y, z, w: Double

    public init(x: Double, y: Double, z: Double, w: Double) { (self.x, self.y, self.z, self.w) = (x, y, z, w) }
}

/// What has a time of the monotonic clock.
open class CMLogItem: NSObject {
    public let timestamp: TimeInterval

    public init(timestamp: TimeInterval) { self.timestamp = timestamp }
}

public final class CMAttitude: NSObject {
    public let quaternion: CMQuaternion

    public init(quaternion: CMQuaternion) { self.quaternion = quaternion }
}

public final class CMDeviceMotion: CMLogItem {
    public enum SensorLocation: Int {
        case `default`, headphoneLeft, headphoneRight
    }

    public let attitude: CMAttitude
    public let rotationRate: CMRotationRate
    public let gravity: CMAcceleration
    public let userAcceleration: CMAcceleration
    public let heading: Double
    public let sensorLocation: SensorLocation

    public init(
        timestamp: TimeInterval, attitude: CMAttitude, rotationRate: CMRotationRate, gravity: CMAcceleration,
        userAcceleration: CMAcceleration, heading: Double, sensorLocation: SensorLocation
    ) {
        (self.attitude, self.rotationRate, self.gravity) = (attitude, rotationRate, gravity)
        (self.userAcceleration, self.heading, self.sensorLocation) = (userAcceleration, heading, sensorLocation)
        super.init(timestamp: timestamp)
    }
}

public struct CMAttitudeReferenceFrame: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    public static let xArbitraryZVertical = Self(rawValue: 1 << 0)
    public static let xArbitraryCorrectedZVertical = Self(rawValue: 1 << 1)
    public static let xMagneticNorthZVertical = Self(rawValue: 1 << 2)
    public static let xTrueNorthZVertical = Self(rawValue: 1 << 3)
}

public enum CMAuthorizationStatus: Int {
    case notDetermined, restricted, denied, authorized
    /// One that a later system adds: Apple's enumeration is not frozen.
    case later
}

open class CMAccelerometerData: CMLogItem {
    public let acceleration: CMAcceleration

    public init(timestamp: TimeInterval, acceleration: CMAcceleration) {
        self.acceleration = acceleration
        super.init(timestamp: timestamp)
    }
}

public final class CMGyroData: CMLogItem {
    public let rotationRate: CMRotationRate

    public init(timestamp: TimeInterval, rotationRate: CMRotationRate) {
        self.rotationRate = rotationRate
        super.init(timestamp: timestamp)
    }
}

/// A magnetic field in microtesla.
public struct CMMagneticField {
    public var x, y, z: Double

    public init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }
}

public final class CMMagnetometerData: CMLogItem {
    public let magneticField: CMMagneticField

    public init(timestamp: TimeInterval, magneticField: CMMagneticField) {
        self.magneticField = magneticField
        super.init(timestamp: timestamp)
    }
}

public final class CMRecordedAccelerometerData: CMAccelerometerData {
    public let identifier: UInt64
    public let startDate: Date

    public init(identifier: UInt64, startDate: Date, acceleration: CMAcceleration) {
        (self.identifier, self.startDate) = (identifier, startDate)
        super.init(timestamp: 0, acceleration: acceleration)
    }
}

public final class CMAltitudeData: CMLogItem {
    public let relativeAltitude: NSNumber
    public let pressure: NSNumber

    public init(timestamp: TimeInterval, relativeAltitude: NSNumber, pressure: NSNumber) {
        (self.relativeAltitude, self.pressure) = (relativeAltitude, pressure)
        super.init(timestamp: timestamp)
    }
}

public final class CMAbsoluteAltitudeData: CMLogItem {
    public let altitude: Double
    public let accuracy: Double
    public let precision: Double

    public init(timestamp: TimeInterval, altitude: Double, accuracy: Double, precision: Double) {
        (self.altitude, self.accuracy, self.precision) = (altitude, accuracy, precision)
        super.init(timestamp: timestamp)
    }
}

public final class CMPedometerData: NSObject {
    public let startDate: Date
    public let endDate: Date
    public let numberOfSteps: NSNumber
    public let distance: NSNumber?
    public let floorsAscended: NSNumber?
    public let floorsDescended: NSNumber?
    public let currentPace: NSNumber?
    public let currentCadence: NSNumber?
    public let averageActivePace: NSNumber?

    public init(
        startDate: Date, endDate: Date, numberOfSteps: NSNumber, distance: NSNumber?, floorsAscended: NSNumber?,
        floorsDescended: NSNumber?, currentPace: NSNumber?, currentCadence: NSNumber?, averageActivePace: NSNumber?
    ) {
        (self.startDate, self.endDate, self.numberOfSteps) = (startDate, endDate, numberOfSteps)
        (self.distance, self.floorsAscended, self.floorsDescended) = (distance, floorsAscended, floorsDescended)
        (self.currentPace, self.currentCadence) = (currentPace, currentCadence)
        self.averageActivePace = averageActivePace
    }
}

public enum CMPedometerEventType: Int {
    case pause, resume
}

public final class CMPedometerEvent: NSObject {
    public let date: Date
    public let type: CMPedometerEventType

    public init(date: Date, type: CMPedometerEventType) { (self.date, self.type) = (date, type) }
}

public final class CMWaterSubmersionEvent: NSObject {
    public enum State: Int {
        case unknown, notSubmerged, submerged
    }

    public let date: Date
    public let state: State

    public init(date: Date, state: State) { (self.date, self.state) = (date, state) }
}

public final class CMWaterSubmersionMeasurement: NSObject {
    public enum DepthState: Int, CaseIterable {
        case unknown = 0
        case notSubmerged = 100
        case submergedShallow = 200
        case submergedDeep = 300
        case approachingMaxDepth = 400
        case pastMaxDepth = 500
        case sensorDepthError = 600
    }

    public let date: Date
    public let depth: Measurement<UnitLength>?
    public let pressure: Measurement<UnitPressure>?
    public let surfacePressure: Measurement<UnitPressure>
    public let submersionState: DepthState

    public init(
        date: Date, depth: Measurement<UnitLength>?, pressure: Measurement<UnitPressure>?,
        surfacePressure: Measurement<UnitPressure>, submersionState: DepthState
    ) {
        (self.date, self.depth, self.pressure) = (date, depth, pressure)
        (self.surfacePressure, self.submersionState) = (surfacePressure, submersionState)
    }
}

public final class CMWaterTemperature: NSObject {
    public let date: Date
    public let temperature: Measurement<UnitTemperature>
    public let temperatureUncertainty: Measurement<UnitTemperature>

    public init(
        date: Date, temperature: Measurement<UnitTemperature>, temperatureUncertainty: Measurement<UnitTemperature>
    ) {
        (self.date, self.temperature, self.temperatureUncertainty) = (date, temperature, temperatureUncertainty)
    }
}

public final class CMTremorResult: NSObject {
    public let startDate: Date
    public let endDate: Date
    public let percentUnknown: Float
    public let percentNone: Float
    public let percentSlight: Float
    public let percentMild: Float
    public let percentModerate: Float
    public let percentStrong: Float

    public init(
        startDate: Date, endDate: Date, percentUnknown: Float, percentNone: Float, percentSlight: Float, percentMild: Float,
        percentModerate: Float, percentStrong: Float
    ) {
        (self.startDate, self.endDate) = (startDate, endDate)
        (self.percentUnknown, self.percentNone, self.percentSlight) = (percentUnknown, percentNone, percentSlight)
        (self.percentMild, self.percentModerate, self.percentStrong) = (percentMild, percentModerate, percentStrong)
    }
}

public final class CMDyskineticSymptomResult: NSObject {
    public let startDate: Date
    public let endDate: Date
    public let percentUnlikely: Float
    public let percentLikely: Float

    public init(startDate: Date, endDate: Date, percentUnlikely: Float, percentLikely: Float) {
        (self.startDate, self.endDate) = (startDate, endDate)
        (self.percentUnlikely, self.percentLikely) = (percentUnlikely, percentLikely)
    }
}
