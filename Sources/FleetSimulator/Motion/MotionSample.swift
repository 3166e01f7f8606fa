import JSONText

/// One reading of device motion; `seconds` is device time.
struct MotionSample: Sendable {
    var seconds: Double
    var attitude: Rotation
    /// rad/s in device axes.
    var rotationRate: Vector
    /// G, without gravity.
    var userAcceleration: Vector
}

/// Something whose attitude is known at every instant.
protocol AttitudePath {
    /// The attitude at a number of seconds since the device's start.
    func attitude(after elapsed: Double) -> Rotation
}

extension AttitudePath {
    /// The rate in device axes, rad/s: a difference over 0.2 ms.
    func rotationRate(after elapsed: Double) -> Vector {
        let step = 1e-4
        return attitude(after: elapsed - step).rate(to: attitude(after: elapsed + step), over: 2 * step)
    }
}

extension JSONWriter {
    /// Motion samples as the contract's columns.
    mutating func motion(_ key: StaticString, _ samples: [MotionSample], sensorLocation: String) {
        object(key) {
            $0.column("timestamp", samples, decimals: 6) { $0.seconds }
            $0.object("attitude") {
                $0.column("x", samples, decimals: 6) { $0.attitude.x }
                $0.column("y", samples, decimals: 6) { $0.attitude.y }
                $0.column("z", samples, decimals: 6) { $0.attitude.z }
                $0.column("w", samples, decimals: 6) { $0.attitude.w }
            }
            $0.vectors("rotationRate", samples.map(\.rotationRate), decimals: 4)
            $0.vectors("userAcceleration", samples.map(\.userAcceleration), decimals: 5)
            $0.vectors("gravity", samples.map(\.attitude.gravity), decimals: 6)
            $0.field("sensorLocation", sensorLocation)
        }
    }

    private mutating func vectors(_ key: StaticString, _ vectors: [Vector], decimals: Int) {
        object(key) { $0.axes(vectors, decimals: decimals) }
    }

    /// The columns `x`, `y` and `z` of the object being written.
    mutating func axes(_ vectors: [Vector], decimals: Int) {
        column("x", vectors, decimals: decimals) { $0.x }
        column("y", vectors, decimals: decimals) { $0.y }
        column("z", vectors, decimals: decimals) { $0.z }
    }
}
