import WearableFrames

/// A watch that was worn in the night before it comes online: it sends what its accelerometer recorded in one burst. Put on again, it sends
/// every ten minutes what was recorded since.
package struct Sleeper: ScriptedDevice {
    var schedule: Schedule

    private let options: SleeperOptions
    private let motion: NightMotion
    /// The samples of the night.
    private let night: Int
    /// When the first was measured, unix seconds.
    private let start: Double
    /// The samples that were sent.
    private var sent = 0
    /// When the next frame is due, in s after the device's start.
    private var due = Self.delay

    /// Seconds from coming online to the first frame.
    private static let delay = 0.5
    private static let firstIdentifier: UInt64 = 1_000
    private static let daySeconds = 86_400.0

    /// Creates a sleeper; its night is the last that is over when it comes online.
    package init(_ origin: DeviceOrigin, options: SleeperOptions = SleeperOptions()) {
        self.options = options
        motion = NightMotion(options: options, chance: Chance(seed: origin.seed))
        night = Int(options.recorded * options.rate)
        let day = ((origin.unix - options.awakeAfter - options.wakesAt) / Self.daySeconds).rounded(.down) * Self.daySeconds
        start = day + options.wakesAt - options.asleep - options.awakeBefore
        schedule = Schedule(
            origin: origin,
            status: .online(
                model: "Watch6,18", os: "watchOS 11.2", available: [.deviceMotion, .recordedAccelerometer], wrist: .left))
    }

    /// What is true of the night.
    package var truth: NightTruth {
        let onset = start + options.awakeBefore
        return NightTruth(start: start, onset: onset, end: onset + options.asleep, awakenings: options.awakenings.count)
    }

    mutating func advance() {
        let recorded = night + Int(due * options.rate)
        // A frame holds samples of the night or of the time after it, for between them nothing was recorded.
        let end = Swift.min(sent < night ? night : recorded, sent + options.samplesPerFrame)
        if end > sent { send(sent..<end) }
        sent = end
        due += end < recorded ? options.frameInterval : options.burstInterval
        schedule.complete(through: due)
    }

    private mutating func send(_ range: Range<Int>) {
        let first = range.lowerBound < night ? start : origin.unix - Double(night) / options.rate
        schedule.send(after: due) { [motion, rate = options.rate] builder, instant throws(FrameError) in
            let samples = range.map { index in
                let acceleration = motion.acceleration(index)
                return RecordedAcceleration(
                    identifier: Self.firstIdentifier + UInt64(index), startDate: first + Double(index) / rate,
                    acceleration: Vector3(x: acceleration.x, y: acceleration.y, z: acceleration.z))
            }
            return try builder.recordedAccelerometer(samples, at: instant)
        }
    }
}
