import Glibc
import WearableFrames

/// One set of a simulated exercise.
package struct LiftSet: Sendable, Hashable {
    /// Its start in seconds from the device's.
    package var start: Double
    /// How many repetitions it has.
    package var repetitions: Int
    /// The mean time from one to the next in s; each takes up to 8 % more or less.
    package var period: Double
    /// The angle in rad through which the forearm turns.
    package var range: Double

    /// A set.
    package init(start: Double, repetitions: Int, period: Double = 2, range: Double = 1.2) {
        (self.start, self.repetitions, self.period, self.range) = (start, repetitions, period, range)
    }
}

/// What a simulated lifter does.
package struct LifterOptions: Sendable, Hashable {
    /// The sets, in order of time and apart.
    package var sets: [LiftSet]
    /// Seconds after which they are repeated; nil for once.
    package var cycle: Double?

    /// Options.
    package init(sets: [LiftSet], cycle: Double? = nil) { (self.sets, self.cycle) = (sets, cycle) }

    /// Eight curls of 2 s and, after a rest, five of 2.6 s, each minute.
    package static let minute = LifterOptions(
        sets: [LiftSet(start: 4, repetitions: 8), LiftSet(start: 36, repetitions: 5, period: 2.6, range: 1)], cycle: 60)
}

/// A watch on the wrist of somebody who lifts a weight: `device-motion` at 50 Hz in a workout.
package struct Lifter: ScriptedDevice, AttitudePath {
    var schedule: Schedule
    private let options: LifterOptions
    private let chance: Chance
    private var frames = WristFrames(hertz: 50)

    /// A lifter whose workout runs from the first instant.
    package init(_ origin: DeviceOrigin, options: LifterOptions = .minute) {
        self.options = options
        chance = Chance(seed: origin.seed)
        schedule = WristFrames.schedule(origin, activity: "traditionalStrengthTraining")
    }

    /// The sets that end within a number of seconds from the device's start.
    package func truth(through seconds: Double) -> [LiftSet] {
        let cycles = options.cycle.map { Int(seconds / $0) } ?? 0
        return (0...cycles).flatMap { cycle in
            options.sets.map { set in
                var set = set
                set.start += Double(cycle) * (options.cycle ?? 0)
                return set
            }
        }.filter { $0.start + Double($0.repetitions) * $0.period * 1.08 < seconds }
    }

    mutating func advance() {
        let copy = self
        frames.send(by: &schedule) { elapsed, sample in
            let rate = copy.rotationRate(after: elapsed)
            return Motion(
                seconds: copy.origin.uptime(after: elapsed), attitude: copy.attitude(after: elapsed),
                rotationRate: rate + copy.chance.noise(.rotation, sample, sigma: 0.02),
                // The wrist turns about the elbow, 0.25 m away.
                userAcceleration: Vector(x: -0.025 * rate.length * rate.length)
                    + copy.chance.noise(.acceleration, sample, sigma: 0.01))
        }
    }

    func attitude(after elapsed: Double) -> Rotation {
        Rotation(yaw: 0.05 * sin(0.3 * elapsed), pitch: -0.4 + lift(after: elapsed), roll: 0.04 * sin(0.5 * elapsed))
    }

    /// How far the forearm is lifted, rad.
    private func lift(after elapsed: Double) -> Double {
        let cycle = options.cycle ?? .infinity
        let round = cycle.isFinite ? (elapsed / cycle).rounded(.down) : 0
        let within = cycle.isFinite ? elapsed - round * cycle : elapsed
        guard let number = options.sets.lastIndex(where: { $0.start <= within }) else { return 0 }
        let set = options.sets[number]
        var begin = set.start
        for repetition in 0..<set.repetitions {
            let place = (Int(round) * 64 + number) * 256 + repetition
            let length = set.period * (1 + chance.uniform(.gesture, 2 * place, in: -0.08...0.08))
            if within < begin + length {
                let range = set.range * (1 + chance.uniform(.gesture, 2 * place + 1, in: -0.1...0.1))
                return range / 2 * (1 - cos(2 * .pi * (within - begin) / length))
            }
            begin += length
        }
        return 0
    }
}
