import Glibc

/// The movement of a batter's wrist over about a second: what the accelerometer and device motion are read from.
struct WristMotion: AttitudePath, Sendable {
    /// The forearm's slope while batting, rad.
    private static let pitch = 0.25

    /// rad turned about gravity by the swings before these.
    var turned = 0.0

    /// The swings that may be under way.
    var swings: [Swing] = []

    var waves: [ArmWave] = []

    func attitude(after elapsed: Double) -> Rotation {
        let roll = -0.6 + 0.08 * sin(0.9 * elapsed) + swings.reduce(0) { $0 + $1.roll(after: elapsed) }
        let angle =
            turned + swings.reduce(0) { $0 + $1.turned(after: elapsed) } + waves.reduce(0) { $0 + $1.turned(after: elapsed) }
        // Rolling about a sloping forearm turns the wrist about gravity by -sin(pitch) for each radian: given back here,
        // so that the rate along gravity is the swing's and nothing else.
        return Rotation(yaw: -(angle + sin(Self.pitch) * roll), pitch: Self.pitch, roll: roll)
    }

    /// User acceleration, G, with the square of the rate. It points away from the shoulder, the opposite of the acceleration, as
    /// Core Motion's does.
    func userAcceleration(after elapsed: Double) -> Vector {
        let rate = swings.reduce(0) { $0 + $1.rate(after: elapsed) }
        return Vector(0.005 * rate * rate, 0, 0)
    }

    /// The total acceleration that the accelerometer measures, G.
    func totalAcceleration(after elapsed: Double) -> Vector {
        let burst = swings.reduce(0) { $0 + $1.burst(after: elapsed) }
        let shock = Vector(-0.3, 0.2, -0.9327379053088815) * burst
        return attitude(after: elapsed).gravity + userAcceleration(after: elapsed) + shock
    }
}
