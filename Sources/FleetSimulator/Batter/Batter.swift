import WearableFrames

/// An Apple Watch on a batter's wrist in a running workout: `batched-imu` of 801.92 Hz total acceleration and 200.44 Hz
/// device motion, about a second of each per frame.
package struct Batter: ScriptedDevice {
    var schedule: Schedule

    private let options: BatterOptions
    private let chance: Chance
    private var motion: WristMotion
    private var edge = 0.0
    private var batch = 0

    /// Seconds from the end of a batch to its frame.
    private static let latency = 0.03

    /// Creates a batter whose workout runs from the first instant.
    package init(_ origin: DeviceOrigin, options: BatterOptions = BatterOptions()) {
        self.options = options
        chance = Chance(seed: origin.seed)
        motion = WristMotion(waves: options.waves)
        schedule = Schedule(
            origin: origin,
            status: .online(
                model: "Watch6,18", os: "watchOS 10.4",
                available: [.deviceMotion, .accelerometerBatch, .deviceMotionBatch, .waterSubmersion], wrist: .left)
        )
        if options.reportsWorkout { schedule.reportWorkout(options.activity) }
    }

    /// The swings that start within a number of seconds from the device's start, in order of time.
    package func truth(through seconds: Double) -> [SwingTruth] {
        options.swings.swings(startingIn: 0..<Swift.max(0, seconds), chance: chance).map { SwingTruth($0, origin: origin) }
    }

    mutating func advance() {
        let next = options.firstBatchEdge + Double(batch) * options.batchSeconds
        // What a device that goes offline has measured so far leaves in a last, shorter batch.
        let span = edge..<Swift.max(edge, Swift.min(next, schedule.end - 2 * Self.latency))
        motion.swings += options.swings.swings(startingIn: span, chance: chance)
        send(span)

        for swing in motion.swings where swing.end + 0.1 < span.upperBound {
            motion.turned += swing.turned(after: swing.end)
        }
        motion.swings.removeAll { $0.end + 0.1 < span.upperBound }
        schedule.complete(through: next)
        edge = span.upperBound
        batch += 1
    }

    private mutating func send(_ span: Range<Double>) {
        guard !span.isEmpty else { return }
        let read = BatchReader(motion: motion, chance: chance, uptime: origin.uptime, span: span)
        let due = span.upperBound + Self.latency
        let sensors = origin.rawSensors
        switch options.layout {
        case .together:
            schedule.send(after: due) { builder, instant throws(FrameError) in
                try builder.batch(
                    accelerometer: read.accelerometer, deviceMotion: read.deviceMotion, of: sensors, at: instant)
            }
        case .separate(let motionLag):
            sendAcceleration(read, after: due + (motionLag < 0 ? -motionLag : 0))
            sendMotion(read, after: due + (motionLag > 0 ? motionLag : 0))
        case .accelerometerOnly: sendAcceleration(read, after: due)
        case .deviceMotionOnly: sendMotion(read, after: due)
        }
    }

    private mutating func sendAcceleration(_ read: BatchReader, after due: Double) {
        schedule.send(after: due) { builder, instant throws(FrameError) in
            try builder.batch(accelerometer: read.accelerometer, at: instant)
        }
    }

    private mutating func sendMotion(_ read: BatchReader, after due: Double) {
        let sensors = origin.rawSensors
        schedule.send(after: due) { builder, instant throws(FrameError) in
            try builder.batch(deviceMotion: read.deviceMotion, of: sensors, at: instant)
        }
    }
}
