import WearableFrames

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

extension Motion {
    /// A reading of simulated motion at `seconds` of device time; gravity follows from the attitude.
    init(
        seconds: Double, attitude: Rotation, rotationRate: Vector, userAcceleration: Vector,
        sensorLocation: SensorLocation = .default
    ) {
        self.init(
            timestamp: seconds, attitude: Quaternion(x: attitude.x, y: attitude.y, z: attitude.z, w: attitude.w),
            rotationRate: Vector3(rotationRate), userAcceleration: Vector3(userAcceleration),
            gravity: Vector3(attitude.gravity), sensorLocation: sensorLocation)
    }
}

extension Vector3 {
    init(_ vector: Vector) { self.init(x: vector.x, y: vector.y, z: vector.z) }
}
