import Glibc
import SignalProcessing

/// A head that moves: every 3 s a nod, a turn or a tilt that ends where it began, with a slow sway beneath.
struct HeadMotion: AttitudePath {
    /// Seconds from one gesture to the next; nothing is done in the first slot, so that a reference pose can be taken.
    static let slot = 3.0

    let chance: Chance

    func attitude(after elapsed: Double) -> Rotation {
        var yaw = 0.02 * sin(0.9 * elapsed)
        var pitch = 0.015 * sin(0.7 * elapsed + 1)
        var roll = 0.01 * sin(0.5 * elapsed + 2)

        let index = Int((elapsed / Self.slot).rounded(.down))
        if index > 0 {
            let into = elapsed - Double(index) * Self.slot
            let length = chance.uniform(.gesture, 4 * index, in: 1.8...2.6)
            let side = chance.uniform(.gesture, 4 * index + 1, in: -1...1) < 0 ? -1.0 : 1.0
            let size = chance.uniform(.gesture, 4 * index + 2, in: 0.6...1)
            let phase = into / length
            let window = phase < 1 ? pow(sin(.pi * phase), 2) : 0
            switch chance.bits(.gesture, 4 * index + 3) % 3 {
            case 0: yaw += side * size * 0.85 * window
            case 1: pitch += size * 0.22 * window * sin(4 * .pi * phase)
            default: roll += side * size * 0.35 * window
            }
        }
        return Rotation(yaw: yaw, pitch: pitch, roll: roll)
    }

    /// The attitude that a stream reports just after its start: wrong by 45 degrees, then less, about a tilted axis.
    static func bogus(_ attitude: Rotation, sinceConnect seconds: Double, lasting duration: Double) -> Rotation {
        guard seconds < duration else { return attitude }
        let error = 0.8 - 0.4 * seconds / duration
        return Quaternion.product(attitude, Rotation(yaw: 0.8 * error, pitch: -0.6 * error, roll: 0))
    }
}
