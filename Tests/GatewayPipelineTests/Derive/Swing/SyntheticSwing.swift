import Foundation
import TelemetryModel

/// A wrist that turns about gravity as half a sine and may strike something: the truth that no recording holds.
struct SyntheticSwing {
    /// When the rotation leaves zero.
    var onset = 0.3
    /// How long the half sine lasts.
    var duration = 0.5
    /// Its greatest rate in rad/s; negative is counter-clockwise from above.
    var peakRate = 12.0
    /// When something is struck.
    var impact: Double?
    /// How hard, in G.
    var impactG = 30.0

    /// When the rate passes 1 rad/s.
    var start: Double { onset + duration * asin(1 / abs(peakRate)) / .pi }
    /// The rotation from onset to `time` in rad.
    func rotation(to time: Double) -> Double {
        peakRate * duration / .pi * (1 - cos(.pi * (time - onset) / duration))
    }

    func rate(_ time: Double) -> Double {
        let phase = (time - onset) / duration
        return phase > 0 && phase < 1 ? peakRate * sin(.pi * phase) : 0
    }

    func shock(_ time: Double) -> Double {
        guard let impact, time >= impact else { return 0 }
        return impactG * exp(-(time - impact) / 0.01) * cos(2 * .pi * 110 * (time - impact))
    }
}

extension BatchedIMU {
    /// What a watch would have recorded of `swings` from `start` to `end`, at Core Motion's real intervals.
    ///
    /// Gravity is tilted; the wrist also turns about another axis, and the swing pulls outwards, as an arm of 0.4 m does.
    static func recording(_ swings: [SyntheticSwing], from start: Double = 0, to end: Double) -> BatchedIMU {
        let gravity = SIMD3(0.36, 0.48, -0.8)
        let across = SIMD3(0.8, -0.6, 0)
        func rate(_ time: Double) -> Double { swings.reduce(0) { $0 + $1.rate(time) } }

        var accelerometer = AccelerometerSamples()
        var time = start
        while time < end {
            let outwards = rate(time) * rate(time) * 0.4 / 9.81 + swings.reduce(0) { $0 + $1.shock(time) }
            accelerometer.timestamp.append(time)
            accelerometer.acceleration.append(gravity + across * outwards)
            time += accelerometer.count.isMultiple(of: 4) ? 0.001232 : 0.001252
        }
        var motion = MotionSamples()
        time = start + 0.0017
        while time < end {
            motion.timestamp.append(time)
            motion.attitude.append(SIMD4(0, 0, 0, 1))
            motion.rotationRate.append(gravity * rate(time) + across * 3 * sin(5 * time))
            motion.userAcceleration.append(.zero)
            motion.gravity.append(gravity)
            time += 0.004989
        }
        return BatchedIMU(accelerometer: accelerometer, deviceMotion: motion)
    }
}
