import Glibc
import WearableFrames

/// One simulated punch.
package struct SimulatedPunch: Sendable, Hashable {
    /// The instant of the greatest acceleration, in seconds from the device's start.
    package var impact: Double
    /// The acceleration there in G.
    package var peak: Double

    /// Seconds for which the fist is pushed forward.
    private static let push = 0.16
    /// The force of the push in G: under the threshold of a punch.
    private static let pushed = 2.2
    /// Seconds that the impact lasts.
    private static let stop = 0.04
    /// The greatest acceleration against the impact after it, in G.
    package static let recoil = 0.8
    /// Seconds from the impact to it.
    package static let recoilTime = stop / 2 + 0.75 * push

    /// The acceleration along the forearm, towards the hand, in G.
    func acceleration(after elapsed: Double) -> Double {
        let time = elapsed - impact
        if time < -Self.stop / 2 - Self.push || time > Self.stop / 2 + Self.push { return 0 }
        if time < -Self.stop / 2 { return Self.pushed * sin(.pi * (time + Self.stop / 2 + Self.push) / Self.push) }
        if time <= Self.stop / 2 { return -peak * cos(.pi * time / Self.stop) }
        // Pulled back, and stopped again.
        return -Self.recoil * sin(2 * .pi * (time - Self.stop / 2) / Self.push)
    }
}

/// What a simulated boxer does.
package struct BoxerOptions: Sendable, Hashable {
    /// The punches, in order of time; nil for rounds at random. Nearer than 0.5 s, the push of one falls into the recoil of the other.
    package var punches: [SimulatedPunch]?
    /// The activity of the workout.
    package var activity: String

    /// Options.
    package init(punches: [SimulatedPunch]? = nil, activity: String = "boxing") {
        (self.punches, self.activity) = (punches, activity)
    }
}

/// A watch on a boxer's wrist: `device-motion` at 100 Hz in a workout.
package struct Boxer: ScriptedDevice, AttitudePath {
    var schedule: Schedule
    private let options: BoxerOptions
    private let chance: Chance
    private var frames = WristFrames(hertz: 100)

    /// Seconds from the start of a combination of punches to that of the next.
    private static let slot = 6.0

    /// A boxer whose workout runs from the first instant.
    package init(_ origin: DeviceOrigin, options: BoxerOptions = BoxerOptions()) {
        self.options = options
        chance = Chance(seed: origin.seed)
        schedule = WristFrames.schedule(origin, activity: options.activity)
    }

    /// The punches whose impact is within a number of seconds from the device's start.
    package func truth(through seconds: Double) -> [SimulatedPunch] {
        if let punches = options.punches { return punches.filter { $0.impact < seconds } }
        return (0...Int(seconds / Self.slot)).flatMap(combination).filter { $0.impact < seconds }
    }

    mutating func advance() {
        let copy = self
        frames.send(by: &schedule) { elapsed, sample in
            // Core Motion's sign is the opposite of the acceleration.
            let force = -copy.punches(near: elapsed).reduce(0) { $0 + $1.acceleration(after: elapsed) }
            return Motion(
                seconds: copy.origin.uptime(after: elapsed), attitude: copy.attitude(after: elapsed),
                rotationRate: copy.rotationRate(after: elapsed) + copy.chance.noises(.rotation, sample, sigma: 0.05),
                userAcceleration: Vector(force, 0.2 * force, 0) + copy.chance.noises(.acceleration, sample, sigma: 0.03))
        }
    }

    func attitude(after elapsed: Double) -> Rotation {
        Rotation(yaw: 0.2 * sin(0.8 * elapsed), pitch: 0.3 + 0.1 * sin(1.1 * elapsed), roll: 0.15 * sin(0.6 * elapsed))
    }

    private func punches(near elapsed: Double) -> [SimulatedPunch] {
        if let punches = options.punches { return punches.filter { abs($0.impact - elapsed) < 0.5 } }
        let slot = Int(elapsed / Self.slot)
        return (Swift.max(0, slot - 1)...slot + 1).flatMap(combination)
    }

    /// Two to four punches, the first at least 2 s after the slot's start.
    private func combination(_ slot: Int) -> [SimulatedPunch] {
        var impact = Double(slot) * Self.slot + 2
        return (0..<2 + Int(chance.bits(.gesture, 16 * slot) % 3)).map { number in
            impact += chance.uniform(.gesture, 16 * slot + 2 * number + 1, in: 0.5...0.9)
            return SimulatedPunch(
                impact: (impact * 100).rounded() / 100,
                peak: chance.uniform(.gesture, 16 * slot + 2 * number + 2, in: 6...14))
        }
    }
}
