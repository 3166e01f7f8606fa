package import WearableFrames

/// The sensors of a device without fusion.
package struct RawSensors: Sendable, Hashable {
    /// What the gyroscope reports at rest, rad/s.
    package var bias: Vector3

    /// Sensors with that bias of the gyroscope.
    package init(bias: Vector3 = Vector3(x: 0, y: 0, z: 0)) { self.bias = bias }

    /// Sensors whose bias has a length in rad/s and a direction that follows from a seed.
    init(biasLength: Double, chance: Chance) {
        let direction = (0..<3).map { chance.uniform(.bias, $0, in: -1...1) }
        let length = direction.reduce(0) { $0 + $1 * $1 }.squareRoot()
        let factor = length > 0 ? biasLength / length : 0
        bias = Vector3(x: direction[0] * factor, y: direction[1] * factor, z: direction[2] * factor)
    }

    /// What the sensors measure of a motion.
    func sample(_ motion: Motion) -> RawMotion {
        let (gravity, user, rate) = (motion.gravity, motion.userAcceleration, motion.rotationRate)
        return RawMotion(
            timestamp: motion.timestamp,
            acceleration: Vector3(x: gravity.x + user.x, y: gravity.y + user.y, z: gravity.z + user.z),
            rotationRate: Vector3(x: rate.x + bias.x, y: rate.y + bias.y, z: rate.z + bias.z),
            sensorLocation: motion.sensorLocation)
    }
}

extension FrameBuilder {
    /// A frame of motion on `stream`: as the device fuses it, or, where it has `sensors` alone, raw.
    mutating func motion(
        _ stream: StreamName, _ samples: [Motion], of sensors: RawSensors?, at instant: DeviceInstant
    ) throws(FrameError) -> Frame {
        let isHead = stream == .headphoneMotion
        guard let sensors else {
            return isHead ? try headphoneMotion(samples, at: instant) : try deviceMotion(samples, at: instant)
        }
        let raw = samples.map(sensors.sample)
        return isHead ? try headphoneMotion(raw: raw, at: instant) : try deviceMotion(raw: raw, at: instant)
    }

    /// A batch, its motion as in `motion(_:_:of:at:)`.
    mutating func batch(
        accelerometer: [Acceleration] = [], deviceMotion: [Motion], of sensors: RawSensors?, at instant: DeviceInstant
    ) throws(FrameError) -> Frame {
        guard let sensors else {
            return try batch(accelerometer: accelerometer, deviceMotion: deviceMotion, at: instant)
        }
        return try batch(accelerometer: accelerometer, rawMotion: deviceMotion.map(sensors.sample), at: instant)
    }
}
