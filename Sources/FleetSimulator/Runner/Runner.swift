import Glibc
import WearableFrames

/// A phone that a runner carries, in a running workout: `pedometer` counts every 2 s, pauses and resumptions, and `altimeter` once
/// a second.
package struct Runner: ScriptedDevice {
    var schedule: Schedule

    private let options: RunnerOptions
    private let chance: Chance
    private var tick = 0

    private static let secondsPerCount = 2
    /// How late counts and altitudes are sent, in s.
    private static let delay = 0.06

    /// Creates a runner whose pedometer counts from the first instant.
    package init(_ origin: DeviceOrigin, options: RunnerOptions = .city) {
        self.options = options
        chance = Chance(seed: origin.seed)
        schedule = Schedule(
            origin: origin,
            status: .online(
                model: "iPhone15,2", os: "iOS 18.1", available: [.deviceMotion, .pedometer, .pedometerEvents, .altimeter]))
        if options.hasWorkout { schedule.reportWorkout("running") }
    }

    /// What is true at the end of the run, or `elapsed` seconds after its start.
    package func truth(after elapsed: Double) -> RunTruth { options.truth(after: elapsed) }

    mutating func advance() {
        let elapsed = Double(tick)
        for event in options.events(after: elapsed - 1, until: elapsed) { report(event.time, isPause: event.isPause) }
        measure(after: elapsed)
        if tick > 0, tick.isMultiple(of: Self.secondsPerCount) { count(after: elapsed) }
        schedule.complete(through: elapsed)
        tick += 1
    }

    private mutating func report(_ time: Double, isPause: Bool) {
        let event = PedometerReadings.Event(isPause ? .pause : .resume, date: origin.unix(after: time))
        schedule.send(after: Swift.max(time + options.lateness, Double(tick))) { builder, instant throws(FrameError) in
            try builder.pedometer(PedometerReadings(events: [event]), at: instant)
        }
    }

    private mutating func count(after elapsed: Double) {
        let truth = options.truth(after: elapsed)
        let count = PedometerReadings.Count(
            startDate: origin.unix(after: 0), endDate: origin.unix(after: elapsed), steps: Int(truth.steps),
            distance: truth.distance)
        schedule.send(after: elapsed + Self.delay) { builder, instant throws(FrameError) in
            try builder.pedometer(PedometerReadings(data: [count]), at: instant)
        }
    }

    private mutating func measure(after elapsed: Double) {
        let height = options.truth(after: elapsed).height + chance.noise(.altitude, tick, sigma: 0.05)
        // The standard atmosphere.
        let pressure = 101.325 * pow(1 - (options.altitude + height) / 44_330.77, 1 / 0.190263)
        let sample = AltimeterReadings.Relative(
            timestamp: origin.uptime(after: elapsed), relativeAltitude: height, pressure: pressure)
        schedule.send(after: elapsed + Self.delay) { builder, instant throws(FrameError) in
            try builder.altimeter(AltimeterReadings(relative: [sample]), at: instant)
        }
    }
}
