import TelemetryModel

/// One reading of a motion sensor, in the app's units and signs.
struct SensorLoggerReading {
    /// When it was measured.
    let time: SensorLoggerTime
    private let attitude: SIMD4<Double>
    private let rotationRate: SIMD3<Double>
    private let acceleration: SIMD3<Double>
    private let gravity: SIMD3<Double>
    private let location: SensorLocation

    /// Reads what device motion consists of. Roll, pitch and yaw are ignored: the quaternion holds the attitude, and versions of
    /// the app differ in their signs.
    init(_ node: JSONNode) throws(Rejection) {
        time = try SensorLoggerTime(try node.required("time"))
        let values = try node.required("values")
        attitude = SIMD4(
            try values.number("quaternionX"), try values.number("quaternionY"), try values.number("quaternionZ"),
            try values.number("quaternionW"))
        let squared = (attitude * attitude).sum()
        guard squared >= 0.81, squared <= 1.21 else {
            throw values.rejection(.invalidValue, "the quaternion is \(squared.squareRoot()) long, expected about 1")
        }
        rotationRate = try values.vector("rotationRate")
        acceleration = try values.vector("acceleration")
        gravity = try values.vector("gravity")
        location = Self.location(try values.optional("devicelocation").map { node throws(Rejection) in try node.string() })
    }

    /// Adds the reading as the last row.
    func append(to samples: inout MotionSamples) {
        samples.timestamp.append(time.seconds)
        samples.attitude.append(attitude)
        samples.rotationRate.append(rotationRate)
        samples.userAcceleration.append(acceleration)
        samples.gravity.append(gravity)
        samples.sensorLocation.append(location)
    }

    private static func location(_ text: String?) -> SensorLocation {
        switch text?.lowercased() {
        case "left", "headphoneleft": .headphoneLeft
        case "right", "headphoneright": .headphoneRight
        default: .default
        }
    }
}

extension JSONNode {
    fileprivate func number(_ key: String) throws(Rejection) -> Double { try required(key).number() }

    fileprivate func vector(_ name: String) throws(Rejection) -> SIMD3<Double> {
        SIMD3(try number(name + "X"), try number(name + "Y"), try number(name + "Z"))
    }
}
