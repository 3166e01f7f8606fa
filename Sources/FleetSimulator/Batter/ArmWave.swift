import Glibc

/// An arm waved to and fro about gravity: rotation that must not be taken for a swing.
package struct ArmWave: Sendable, Hashable {
    /// When it begins, seconds after the device's start.
    package var start: Double

    /// Seconds until the arm is back at rest.
    package var duration: Double = 3

    /// A bound of the rotation rate, rad/s: under 8.
    package var peakRotationRate: Double = 7

    /// Turns to and fro a second.
    package var frequency: Double = 0.9

    /// The angle about gravity, rad.
    func turned(after elapsed: Double) -> Double {
        let phase = (elapsed - start) / duration
        guard phase > 0, phase < 1 else { return 0 }
        let amplitude = peakRotationRate / (2 * .pi * frequency + .pi / duration)
        return amplitude * pow(sin(.pi * phase), 2) * sin(2 * .pi * frequency * (elapsed - start))
    }
}
