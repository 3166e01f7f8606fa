import Glibc
import WearableFrames

/// One set of simulated push-ups.
package struct SimulatedPushUps: SimulatedSet {
    /// When the first goes down, in seconds from the device's start; the person lies down in the 4 s before.
    package var start: Double
    /// How many there are.
    package var repetitions: Int
    /// The mean time from one to the next in s; each takes up to 6 % more or less.
    package var period: Double
    /// How far the head goes down in m.
    package var depth: Double

    /// A set.
    package init(start: Double, repetitions: Int, period: Double = 1.8, depth: Double = 0.35) {
        (self.start, self.repetitions, self.period, self.depth) = (start, repetitions, period, depth)
    }
}

/// What a simulated athlete does: sets with 11 s or more from the end of one to the start of the next.
package typealias AthleteOptions = ExercisePlan<SimulatedPushUps>

extension AthleteOptions {
    /// Eight push-ups of 1.8 s each minute.
    package static var minute: AthleteOptions { AthleteOptions(sets: [SimulatedPushUps(start: 10, repetitions: 8)], cycle: 60) }
}

/// Headphones on somebody who does push-ups: `headphone-motion` at 25 Hz.
package struct Athlete: ScriptedDevice, AttitudePath {
    var schedule: Schedule
    private let options: AthleteOptions
    private let chance: Chance
    private var sample = 0

    private static let (hertz, samplesPerFrame) = (25.0, 5)
    /// Seconds to lie down or stand up, those of rest between that and the push-ups, and of rest after them.
    private static let (move, before, after) = (2.0, 2.0, 3.0)
    /// How much lower the head of somebody who lies is, in m, and its angle to that of somebody who stands, in rad.
    private static let (lying, prone) = (1.3, 1.3)

    /// An athlete who wears the headphones from the first instant.
    package init(_ origin: DeviceOrigin, options: AthleteOptions = .minute) {
        self.options = options
        chance = Chance(seed: origin.seed)
        schedule = Schedule(
            origin: origin,
            status: .online(model: "iPhone15,2", os: "iOS 18.1", available: [.headphoneMotion, .deviceMotion]))
        let timestamp = origin.uptime(after: 0.05)
        schedule.send(after: 0.1) { builder, instant throws(FrameError) in
            try builder.headphoneConnection(.didConnect, timestamp: timestamp, at: instant)
        }
    }

    /// The sets that end within a number of seconds from the device's start, with the rest after them.
    package func truth(through seconds: Double) -> [SimulatedPushUps] {
        options.sets(through: seconds, longest: 1.06, rest: Self.after + Self.move)
    }

    mutating func advance() {
        var samples: [Motion] = []
        var last = 0.0
        for _ in 0..<Self.samplesPerFrame {
            last = Double(sample + 1) / Self.hertz
            samples.append(reading(after: last))
            sample += 1
        }
        schedule.send(after: last + 0.03) { [samples, sensors = origin.rawSensors] builder, instant throws(FrameError) in
            try builder.motion(.headphoneMotion, samples, of: sensors, at: instant)
        }
        schedule.complete(through: last)
    }

    func attitude(after elapsed: Double) -> Rotation {
        Rotation(
            yaw: 0.02 * sin(0.4 * elapsed), pitch: 0.01 * sin(0.7 * elapsed) - Self.prone * place(after: elapsed).share, roll: 0)
    }

    private func reading(after elapsed: Double) -> Motion {
        let attitude = attitude(after: elapsed)
        // The second difference of the way down, in G, negated: a sensor measures so much less than gravity.
        let step = 0.02
        let bend = place(after: elapsed + step).down - 2 * place(after: elapsed).down + place(after: elapsed - step).down
        let surge = -bend / (step * step) / 9.80665
        return Motion(
            seconds: origin.uptime(after: elapsed), attitude: attitude,
            rotationRate: rotationRate(after: elapsed) + chance.noises(.rotation, sample, sigma: 0.004),
            userAcceleration: attitude.gravity * surge + chance.noises(.acceleration, sample, sigma: 0.006),
            sensorLocation: .headphoneLeft)
    }

    /// How far the head is down in m, and how far it has turned from standing, 0, to lying, 1.
    private func place(after elapsed: Double) -> (down: Double, share: Double) {
        let lead = Self.move + Self.before
        let moment = options.moment(after: elapsed, lead: lead) { 1 + chance.uniform(.gesture, $0, in: -0.06...0.06) }
        switch moment {
        case .rest: return (0, 0)
        case .before(_, let since):
            let share = Self.smooth(since / Self.move)
            return (Self.lying * share, share)
        case .repetition(let set, _, let since, let length):
            // Down, up, and a tenth of the time at rest.
            let part = since / length
            let down = part < 0.45 ? Self.smooth(part / 0.45) : 1 - Self.smooth((part - 0.45) / 0.45)
            return (Self.lying + set.depth * down, 1)
        case .after(_, let since):
            let share = 1 - Self.smooth((since - Self.after) / Self.move)
            return (Self.lying * share, share)
        }
    }

    /// The movement with the least jerk from 0 to 1.
    private static func smooth(_ part: Double) -> Double {
        let part = Swift.min(1, Swift.max(0, part))
        return part * part * part * (10 + part * (6 * part - 15))
    }
}
