import SignalProcessing
import Testing

/// An attitude from a public recording, with the angles that Core Motion gave for it.
struct RecordedAttitude: Sendable, CustomTestStringConvertible {
    var name: String
    var attitude: SIMD4<Double>
    var roll, pitch, yaw: Double
    var gravity: SIMD3<Double>
    /// How far the recording's angles and gravity were rounded.
    var digits, gravityDigits: Double

    var testDescription: String { name }

    static let all = [a, b, c, d]

    static let a = Self(
        name: "SensorLog, negative w", attitude: SIMD4(-0.004572, -0.000681, 0.116929, -0.993130), roll: 0.002422,
        pitch: 0.008922, yaw: -0.234408, gravity: SIMD3(0.002421, -0.008922, -0.999957), digits: 2e-6,
        gravityDigits: 2e-6)

    static let b = Self(
        name: "photo, steep", attitude: SIMD4(0.643136825892, 0.0896853875299, 1.87207e-06, 0.760481133521),
        roll: 0.716386186536, pitch: 1.361547270151, yaw: -0.588765280577,
        gravity: SIMD3(0.1364057, -0.9781872, -0.1566631), digits: 1e-10, gravityDigits: 1e-7)

    static let c = Self(
        name: "photo", attitude: SIMD4(0.489685441888, -0.025223668841, -0.002964313164, 0.871529200533),
        roll: -0.078933512548, pitch: 1.023049122075, yaw: 0.037523505691,
        gravity: SIMD3(-0.0410632, -0.8536999, -0.5191439), digits: 1e-10, gravityDigits: 1e-7)

    static let d = Self(
        name: "AirPods",
        attitude: SIMD4(-0.47675120121765957, 0.21538676246259386, -0.0005364311021727928, 0.8522420297864675),
        roll: 0.6807802035216475, pitch: -0.9490214392332175, yaw: 0.3586524456166643,
        gravity: SIMD3(0.3666117787, 0.8128458858, -0.4526337385), digits: 1e-14, gravityDigits: 1e-7)
}

/// The Euclidean length of a vector.
func length<Vector: SIMD>(_ vector: Vector) -> Double where Vector.Scalar == Double {
    (vector * vector).sum().squareRoot()
}

/// `value` degrees in rad.
func degrees(_ value: Double) -> Double { value * .pi / 180 }
