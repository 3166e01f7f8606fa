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
    mutating func motion(_ samples: [MotionSample], for key: StaticString, sensorLocation: String) {
        object(for: key) {
            $0.column("timestamp", samples, digits: 6) { $0.seconds }
            $0.object(for: "attitude") {
                $0.column("x", samples, digits: 6) { $0.attitude.x }
                $0.column("y", samples, digits: 6) { $0.attitude.y }
                $0.column("z", samples, digits: 6) { $0.attitude.z }
                $0.column("w", samples, digits: 6) { $0.attitude.w }
            }
            $0.vectors(samples.map(\.rotationRate), digits: 4, for: "rotationRate")
            $0.vectors(samples.map(\.userAcceleration), digits: 5, for: "userAcceleration")
            $0.vectors(samples.map(\.attitude.gravity), digits: 6, for: "gravity")
            $0.string(sensorLocation, for: "sensorLocation")
        }
    }

    private mutating func vectors(_ vectors: [Vector], digits: Int, for key: StaticString) {
        object(for: key) { $0.axes(vectors, digits: digits) }
    }

    /// The columns `x`, `y` and `z` of the object being written.
    mutating func axes(_ vectors: [Vector], digits: Int) {
        column("x", vectors, digits: digits) { $0.x }
        column("y", vectors, digits: digits) { $0.y }
        column("z", vectors, digits: digits) { $0.z }
    }
}
