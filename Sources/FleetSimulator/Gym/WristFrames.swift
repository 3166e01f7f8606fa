import WearableFrames

/// The `device-motion` frames of a watch in a workout: samples at an even rate, about half a second of them a frame.
struct WristFrames: Sendable {
    /// Samples a second.
    let hertz: Double
    private var sample = 0

    init(hertz: Double) { self.hertz = hertz }

    /// The schedule of a watch on the left wrist whose workout of `activity` runs from the start to the end.
    static func schedule(_ origin: DeviceOrigin, activity: String) -> Schedule {
        var schedule = Schedule(
            origin: origin,
            status: .online(model: "Watch6,18", os: "watchOS 10.4", available: [.deviceMotion, .waterSubmersion], wrist: .left))
        schedule.reportWorkout(activity)
        return schedule
    }

    /// Sends the next frame, whose samples `reading` gives for a number of seconds since the start and the sample's number.
    mutating func send(by schedule: inout Schedule, _ reading: (Double, Int) -> Motion) {
        var samples: [Motion] = []
        var last = 0.0
        for _ in 0..<Int(hertz / 2) {
            last = Double(sample) / hertz
            samples.append(reading(last, sample))
            sample += 1
        }
        schedule.send(after: last + 0.03) { [samples, sensors = schedule.origin.rawSensors] builder, instant throws(FrameError) in
            try builder.motion(.deviceMotion, samples, of: sensors, at: instant)
        }
        schedule.complete(through: last)
    }
}
