import Glibc

/// The acceleration of the wrist of somebody who is awake or sleeps, by the time since the first sample.
struct NightMotion: Sendable {
    /// Somebody who sleeps turns so often, in s.
    private static let turnInterval = 2_400.0

    let options: SleeperOptions
    let chance: Chance

    /// Total acceleration in G of sample `index`.
    func acceleration(_ index: Int) -> Vector {
        let elapsed = Double(index) / options.rate
        return options.isAwake(after: elapsed) ? awake(index, elapsed) : asleep(index, elapsed - options.awakeBefore)
    }

    /// The forearm moves through a wide range, a few seconds for each movement.
    private func awake(_ index: Int, _ elapsed: Double) -> Vector {
        let phase = elapsed / 7 + sin(elapsed / 23)
        let noise = chance.noises(.acceleration, index, sigma: 0.08)
        return Vector(x: 0.5 * sin(phase) + noise.x, y: 0.5 * cos(phase / 2) + noise.y, z: 0.7 * cos(phase) + noise.z)
    }

    /// The arm keeps the angle of its last turn; breathing moves it by 20 mG.
    private func asleep(_ index: Int, _ asleep: Double) -> Vector {
        let angle = chance.uniform(.gesture, Int(asleep / Self.turnInterval), in: -1...1)
        let breath = 0.02 * sin(asleep * 1.6)
        let tremble = chance.noise(.rotation, index, sigma: 0.015)
        let noise = chance.noises(.acceleration, index, sigma: 0.004)
        return Vector(
            x: cos(angle) + noise.x, y: breath + tremble, z: sin(angle) + breath + noise.z)
    }
}
