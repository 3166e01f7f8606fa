import Glibc

extension Swing {
    var contact: Double { start + timeToContact }

    var end: Double { contact + followThrough }

    var sign: Double { direction == .clockwise ? 1 : -1 }

    /// The rate along gravity, rad/s: a quarter of a sine up to the contact, a squared cosine after it.
    func rate(after elapsed: Double) -> Double {
        switch elapsed {
        case start..<contact: sign * peakRotationRate * sin(.pi / 2 * (elapsed - start) / timeToContact)
        case contact..<end: sign * peakRotationRate * pow(cos(.pi / 2 * (elapsed - contact) / followThrough), 2)
        default: 0
        }
    }

    /// The integral of the rate since the start, rad.
    func turned(after elapsed: Double) -> Double {
        guard elapsed > start else { return 0 }
        let rise = min(elapsed - start, timeToContact) / timeToContact
        let fall = max(0, min(elapsed - contact, followThrough)) / followThrough
        let rising = timeToContact * 2 / .pi * (1 - cos(.pi / 2 * rise))
        let falling = followThrough * (fall / 2 + sin(.pi * fall) / (2 * .pi))
        return sign * peakRotationRate * (rising + falling)
    }

    /// How far the wrist has rolled over, rad: out and back within the swing.
    func roll(after elapsed: Double) -> Double {
        guard elapsed > start, elapsed < end else { return 0 }
        return 0.5 * pow(sin(.pi * (elapsed - start) / (end - start)), 2)
    }

    /// The shock of the impact, G: one lobe of 2 ms about the contact, then a ringing of a few milliseconds.
    func burst(after elapsed: Double) -> Double {
        guard let impactAcceleration else { return 0 }
        let since = elapsed - contact
        guard abs(since) < 0.015 else { return 0 }
        let lobe = exp(-pow(since / 1e-3, 2))
        let ringing = since > 0 ? 0.3 * exp(-since / 3e-3) * sin(2 * .pi * 180 * since) : 0
        return impactAcceleration * (lobe - ringing)
    }
}
