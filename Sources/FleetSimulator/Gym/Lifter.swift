import Glibc
import WearableFrames

/// One set of a simulated exercise.
package struct LiftSet: SimulatedSet {
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
package typealias LifterOptions = ExercisePlan<LiftSet>

extension LifterOptions {
    /// Eight curls of 2 s and, after a rest, five of 2.6 s, each minute.
    package static var minute: LifterOptions {
        LifterOptions(
            sets: [LiftSet(start: 4, repetitions: 8), LiftSet(start: 36, repetitions: 5, period: 2.6, range: 1)], cycle: 60)
    }
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
        options.sets(through: seconds, longest: 1.08)
    }

    mutating func advance() {
        let copy = self
        frames.send(by: &schedule) { elapsed, sample in
            let rate = copy.rotationRate(after: elapsed)
            return Motion(
                seconds: copy.origin.uptime(after: elapsed), attitude: copy.attitude(after: elapsed),
                rotationRate: rate + copy.chance.noises(.rotation, sample, sigma: 0.02),
                // The wrist turns about the elbow, 0.25 m away, and accelerates towards it. Core Motion's sign is the opposite.
                userAcceleration: Vector(0.025 * rate.length * rate.length, 0, 0)
                    + copy.chance.noises(.acceleration, sample, sigma: 0.01))
        }
    }

    func attitude(after elapsed: Double) -> Rotation {
        Rotation(yaw: 0.05 * sin(0.3 * elapsed), pitch: -0.4 + lift(after: elapsed), roll: 0.04 * sin(0.5 * elapsed))
    }

    /// How far the forearm is lifted, rad.
    private func lift(after elapsed: Double) -> Double {
        let moment = options.moment(after: elapsed) { 1 + chance.uniform(.gesture, 2 * $0, in: -0.08...0.08) }
        guard case .repetition(let set, let number, let since, let length) = moment else { return 0 }
        let range = set.range * (1 + chance.uniform(.gesture, 2 * number + 1, in: -0.1...0.1))
        return range / 2 * (1 - cos(2 * .pi * since / length))
    }
}
