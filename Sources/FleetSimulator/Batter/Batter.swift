import JSONText

/// An Apple Watch on a batter's wrist in a running workout: `batched-imu` of 801.92 Hz total acceleration and 200.44 Hz
/// device motion, about a second of each per frame.
package struct Batter: ScriptedDevice {
    var outbox: Outbox

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
        outbox = Outbox(
            origin: origin,
            profile: DeviceProfile(
                model: "Watch6,18", os: "watchOS 10.4",
                available: ["deviceMotion", "accelerometerBatch", "deviceMotionBatch", "waterSubmersion"],
                wrist: "left")
        )
        reportWorkout()
    }

    /// The swings that start within a number of seconds from the device's start, in order of time.
    package func truth(through seconds: Double) -> [SwingTruth] {
        options.swings.swings(startingIn: 0..<Swift.max(0, seconds), chance: chance).map { SwingTruth($0, origin: origin) }
    }

    mutating func advance() {
        let next = options.firstBatchEdge + Double(batch) * options.batchSeconds
        // What a device that goes offline has measured so far leaves in a last, shorter batch.
        let span = edge..<Swift.max(edge, Swift.min(next, outbox.end - 2 * Self.latency))
        motion.swings += options.swings.swings(startingIn: span, chance: chance)
        send(span)

        for swing in motion.swings where swing.end + 0.1 < span.upperBound {
            motion.turned += swing.turned(after: swing.end)
        }
        motion.swings.removeAll { $0.end + 0.1 < span.upperBound }
        outbox.complete(through: next)
        edge = span.upperBound
        batch += 1
    }

    private mutating func send(_ span: Range<Double>) {
        guard !span.isEmpty else { return }
        let read = BatchReader(motion: motion, chance: chance, uptime: origin.uptime, span: span)
        let due = span.upperBound + Self.latency
        switch options.layout {
        case .together:
            outbox.send(.batchedIMU, after: due) {
                read.writeAccelerometer(into: &$0)
                read.writeDeviceMotion(into: &$0)
            }
        case .separate(let motionLag):
            outbox.send(.batchedIMU, after: due + (motionLag < 0 ? -motionLag : 0), body: read.writeAccelerometer)
            outbox.send(.batchedIMU, after: due + (motionLag > 0 ? motionLag : 0), body: read.writeDeviceMotion)
        case .accelerometerOnly:
            outbox.send(.batchedIMU, after: due, body: read.writeAccelerometer)
        case .deviceMotionOnly:
            outbox.send(.batchedIMU, after: due, body: read.writeDeviceMotion)
        }
    }

    private mutating func reportWorkout() {
        guard options.reportsWorkout else { return }
        let activity = options.activity
        let began = origin.uptime
        outbox.send(.workout, after: 0) { Self.write("running", activity, began, into: &$0) }
        if let duration = origin.duration {
            let ended = origin.uptime(after: duration)
            outbox.sendAtEnd(.workout) { Self.write("ended", activity, ended, into: &$0) }
        }
    }

    private static func write(
        _ state: String, _ activity: String, _ timestamp: Double, into writer: inout JSONWriter
    ) {
        writer.field("state", state)
        writer.field("activity", activity)
        writer.field("timestamp", timestamp, decimals: 6)
    }
}
