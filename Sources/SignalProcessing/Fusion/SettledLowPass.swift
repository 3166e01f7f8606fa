/// A second-order Butterworth low-pass of vectors for samples at any distance, which starts with the mean of what it has.
///
/// The bilinear transform of the analogue filter, as two integrators by the trapezoidal rule (V. Zavalishin, "The Art of VA Filter
/// Design", section 4). At a constant rate it is the usual filter of that transform. Its memory is in the signal's own unit, so that
/// a constant stays constant whatever the intervals are; the memory of a direct form depends on the interval.
struct SettledLowPass: Sendable, Equatable, Codable {
    private var slope = SIMD3<Double>.zero
    private var level = SIMD3<Double>.zero

    /// Processes one sample; returns the filtered one in the same unit.
    mutating func step(_ sample: SIMD3<Double>, _ step: LowPassStep) -> SIMD3<Double> {
        if step.isMean {
            level += (sample - level) * step.gain
            return level
        }
        let difference = sample - level
        let middle = slope * step.hold + difference * step.gain
        let output = level + slope * step.gain + difference * step.square
        slope = 2 * middle - slope
        level = 2 * output - level
        return output
    }
}

/// The coefficients of `SettledLowPass` for one sample, the same for all signals that are filtered alike.
struct LowPassStep: Sendable, Equatable {
    /// Whether the filter still takes the mean, `gain` being the weight of the sample.
    var isMean = false
    /// The coefficients of the two integrators.
    var hold, gain, square: Double

    /// The step of a filter whose impulse response lasts about `timeConstant` seconds (corner at sqrt(2) / `timeConstant` rad/s).
    init(interval: Double, timeConstant: Double) {
        // The tangent that warps the corner, as a fraction: 1e-9 off where the interval is half of the time constant, and exact enough up
        // to 1.4 of it. Beyond that, half of the rate is below the corner, and nothing is filtered.
        let x = interval / (timeConstant * 2.0.squareRoot())
        guard x < 1 else {
            (hold, gain, square) = (0, 0, 1)
            return
        }
        let squared = x * x
        let warped = x * (105 - 10 * squared) / (105 - 45 * squared + squared * squared)
        hold = 1 / (1 + warped * (warped + 2.0.squareRoot()))
        gain = warped * hold
        square = warped * gain
    }

    /// The step of a mean, for the `count`th sample.
    init(meanOf count: Double) { (isMean, hold, gain, square) = (true, 0, 1 / count, 0) }
}

/// How long filters of one time constant have run: in the first `timeConstant` seconds they take the mean.
struct LowPassStart: Sendable, Equatable, Codable {
    private var seconds = 0.0
    private var count = 0.0

    /// The coefficients for a sample `interval` seconds after the one before.
    mutating func step(interval: Double, timeConstant: Double) -> LowPassStep {
        guard seconds < timeConstant else { return LowPassStep(interval: interval, timeConstant: timeConstant) }
        seconds += interval
        count += 1
        return LowPassStep(meanOf: count)
    }
}
