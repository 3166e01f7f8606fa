import Glibc
import WearableFrames

/// One simulated hold of a pose.
package struct SimulatedHold: Sendable, Hashable {
    /// The name of the pose.
    package var pose: String
    /// Seconds from the device's start at which the wrist has arrived.
    package var start: Double
    /// Seconds from the device's start at which it leaves again.
    package var end: Double
}

/// A watch on the wrist of somebody who goes through three poses, each learned when it is held for the first time: `device-motion` at
/// 50 Hz in a workout.
package struct Yogi: ScriptedDevice, AttitudePath {
    var schedule: Schedule
    private let chance: Chance
    private var frames = WristFrames(hertz: 50)

    /// The poses by the pitch of the forearm, rad.
    private static let poses = [("mountain", -1.3), ("warrior", -0.2), ("tree", 1.0)]
    /// Seconds for a move and the hold after it, and for the move alone.
    private static let (slot, move) = (20.0, 1.6)
    /// Seconds into a hold after which its pose is learned the first time.
    private static let learned = 2.0
    /// The sway in a hold: an oscillation of this amplitude, rad, and frequency, Hz.
    private static let (swaying, swayHertz) = (0.01, 0.4)

    /// The RMS angle of a hold from its own mean, rad.
    package static var sway: Double { swaying / 2.0.squareRoot() }

    /// A device whose workout runs from the first instant.
    package init(_ origin: DeviceOrigin) {
        chance = Chance(seed: origin.seed)
        schedule = WristFrames.schedule(origin, activity: "yoga")
        for (number, pose) in Self.poses.enumerated() {
            let elapsed = Double(number) * Self.slot + Self.move + Self.learned
            schedule.send(after: elapsed) { builder, instant throws(FrameError) in
                try builder.command(.learnPose(pose.0), at: instant)
            }
        }
    }

    /// The holds that end within a number of seconds from the device's start; those in which a pose is learned are none.
    package func truth(through seconds: Double) -> [SimulatedHold] {
        (Self.poses.count..<Swift.max(Self.poses.count, Int(seconds / Self.slot))).map { number in
            let start = Double(number) * Self.slot
            return SimulatedHold(
                pose: Self.poses[number % Self.poses.count].0, start: start + Self.move, end: start + Self.slot)
        }
    }

    mutating func advance() {
        let copy = self
        frames.send(by: &schedule) { elapsed, sample in
            Motion(
                seconds: copy.origin.uptime(after: elapsed), attitude: copy.attitude(after: elapsed),
                rotationRate: copy.rotationRate(after: elapsed) + copy.chance.noises(.rotation, sample, sigma: 0.01),
                userAcceleration: copy.chance.noises(.acceleration, sample, sigma: 0.005))
        }
    }

    func attitude(after elapsed: Double) -> Rotation {
        let slot = Int(elapsed / Self.slot)
        let part = Swift.min(1, (elapsed - Double(slot) * Self.slot) / Self.move)
        let (before, after) = (Self.pitch(slot - 1), Self.pitch(slot))
        // The movement with the least jerk.
        let risen = part * part * part * (10 + part * (6 * part - 15))
        let sway = Self.swaying * sin(2 * Double.pi * Self.swayHertz * elapsed)
        return Rotation(yaw: 0.1 * sin(0.05 * elapsed), pitch: before + (after - before) * risen + sway, roll: 0)
    }

    private static func pitch(_ slot: Int) -> Double { poses[Swift.max(0, slot) % poses.count].1 }
}
