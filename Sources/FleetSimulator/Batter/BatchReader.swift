import JSONText

/// Reads one span of a wrist's movement as batches of samples.
struct BatchReader: Sendable {
    let motion: WristMotion
    let chance: Chance
    /// Device time at the device's start.
    let uptime: Double
    /// Seconds since the device's start.
    let span: Range<Double>

    @Sendable func writeAccelerometer(into writer: inout JSONWriter) {
        let grid = SampleGrid.accelerometer
        let indices = grid.indices(in: span)
        let readings = indices.map {
            motion.totalAcceleration(after: grid.seconds(of: $0)) + chance.noise(.acceleration, $0, sigma: 0.006)
        }
        writer.object("accelerometer") {
            $0.column("timestamp", indices, decimals: 6) { uptime + grid.seconds(of: $0) }
            $0.axes(readings, decimals: 5)
        }
    }

    @Sendable func writeDeviceMotion(into writer: inout JSONWriter) {
        let grid = SampleGrid.deviceMotion
        let samples = grid.indices(in: span).map { index in
            let elapsed = grid.seconds(of: index)
            return MotionSample(
                seconds: uptime + elapsed,
                attitude: motion.attitude(after: elapsed),
                rotationRate: motion.rotationRate(after: elapsed) + chance.noise(.rotation, index, sigma: 0.01),
                userAcceleration: motion.userAcceleration(after: elapsed)
            )
        }
        writer.motion("deviceMotion", samples, sensorLocation: "default")
    }
}
