internal import Foundation

/// How smooth a movement is, by the arc length of the spectrum of its speed (SPARC; Balasubramanian and others, 2015).
///
/// 0 would be a single frequency. A movement that rises and falls once with the least jerk has -1.41; every stop makes it longer.
package enum ArcLength {
    /// The highest frequency that counts, in Hz.
    private static let highest = 10.0
    /// The part of the greatest magnitude below which the spectrum ends.
    private static let threshold = 0.05
    /// How many powers of two more points the spectrum has than the movement.
    private static let padding = 4

    /// The smoothness of a speed profile at even intervals; nil for fewer than four samples and for no motion. Dimensionless, below 0.
    package static func smoothness(of speeds: [Double], sampleHertz: Double) -> Double? {
        guard speeds.count >= 4, sampleHertz > 0, let greatest = speeds.map(abs).max(), greatest > 0 else { return nil }
        var points = 1
        while points < speeds.count { points *= 2 }
        points *= 1 << padding
        let step = sampleHertz / Double(points)
        let last = min(Int(highest / step), points - 1)
        let magnitudes = (0...last).map { magnitude(of: speeds, turns: Double($0) / Double(points)) }
        guard let peak = magnitudes.max(), peak > 0 else { return nil }
        let relative = magnitudes.map { $0 / peak }
        guard let first = relative.firstIndex(where: { $0 >= threshold }),
            let end = relative.lastIndex(where: { $0 >= threshold }), end > first
        else { return nil }
        let width = 1 / Double(end - first)
        return -(first..<end).reduce(0) { sum, index in
            let rise = relative[index + 1] - relative[index]
            return sum + (width * width + rise * rise).squareRoot()
        }
    }

    /// The magnitude of the spectrum at `turns` periods a sample, by rotating a unit vector.
    private static func magnitude(of signal: [Double], turns: Double) -> Double {
        let (stepCos, stepSin) = (cos(2 * .pi * turns), -sin(2 * .pi * turns))
        var (c, s) = (1.0, 0.0)
        var (real, imaginary) = (0.0, 0.0)
        for value in signal {
            real += value * c
            imaginary += value * s
            (c, s) = (c * stepCos - s * stepSin, c * stepSin + s * stepCos)
        }
        return (real * real + imaginary * imaginary).squareRoot()
    }
}
