import WearableFrames

/// A watch that was worn in the night before it comes online: it sends what its accelerometer recorded in one burst. Put on again, it sends
/// every ten minutes what was recorded since. What Apple's movement disorder manager found in the night is sent with the burst.
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
    private static let daySeconds = 86_400.0
    /// Minutes of tremor in a frame.
    private static let minutesPerFrame = 200

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
                model: "Watch6,18", os: "watchOS 11.2", available: [.deviceMotion, .recordedAccelerometer, .movementDisorder],
                wrist: .left))
        sendTremor()
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

    /// The minutes of the night as Apple found them, by their start in unix seconds: no tremor while asleep, a little while awake.
    package var tremor: [(start: Double, unknown: Double, none: Double, slight: Double)] {
        (0..<Int(options.recorded / 60)).map { minute in
            let since = 60 * Double(minute)
            let isAwake = options.isAwake(after: since)
            return (start + since, isAwake ? 0.1 : 0, isAwake ? 0.85 : 1, isAwake ? 0.05 : 0)
        }
    }

    private mutating func sendTremor() {
        let minutes = tremor.map { minute in
            TremorResult(
                start: UnixTime(minute.start), end: UnixTime(minute.start + 60), unknown: minute.unknown, none: minute.none,
                slight: minute.slight)
        }
        for first in stride(from: 0, to: minutes.count, by: Self.minutesPerFrame) {
            let part = Array(minutes[first..<Swift.min(first + Self.minutesPerFrame, minutes.count)])
            let dyskinesia = part.prefix(1).map {
                DyskineticSymptomResult(start: $0.start, end: $0.end, unlikely: 1, likely: 0)
            }
            schedule.send(after: 0.1 + Double(first) / 1e4) { builder, instant throws(FrameError) in
                try builder.movementDisorder(.init(tremor: part, dyskinesia: dyskinesia), at: instant)
            }
        }
    }

    private mutating func send(_ range: Range<Int>) {
        let first = range.lowerBound < night ? start : origin.unix - Double(night) / options.rate
        schedule.send(after: due) { [motion, rate = options.rate] builder, instant throws(FrameError) in
            let samples = range.map { index in
                let acceleration = motion.acceleration(index)
                // Without an identifier: Core Motion's numbers batches of samples.
                return RecordedAcceleration(
                    startDate: first + Double(index) / rate,
                    acceleration: Vector3(x: acceleration.x, y: acceleration.y, z: acceleration.z))
            }
            return try builder.recordedAccelerometer(samples, at: instant)
        }
    }
}
