import WearableFrames

/// Reads one span of a wrist's movement as batches of samples.
struct BatchReader: Sendable {
    let motion: WristMotion
    let chance: Chance
    /// Device time at the device's start.
    let uptime: Double
    /// Seconds since the device's start.
    let span: Range<Double>

    /// Total acceleration.
    var accelerometer: [Acceleration] {
        let grid = SampleGrid.accelerometer
        return grid.indices(in: span).map { index in
            let acceleration =
                motion.totalAcceleration(after: grid.seconds(of: index)) + chance.noises(.acceleration, index, sigma: 0.006)
            return Acceleration(timestamp: uptime + grid.seconds(of: index), acceleration: Vector3(acceleration))
        }
    }

    /// Device motion.
    var deviceMotion: [Motion] {
        let grid = SampleGrid.deviceMotion
        return grid.indices(in: span).map { index in
            let elapsed = grid.seconds(of: index)
            return Motion(
                seconds: uptime + elapsed,
                attitude: motion.attitude(after: elapsed),
                rotationRate: motion.rotationRate(after: elapsed) + chance.noises(.rotation, index, sigma: 0.01),
                userAcceleration: motion.userAcceleration(after: elapsed)
            )
        }
    }
}
