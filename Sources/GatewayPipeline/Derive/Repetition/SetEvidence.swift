internal import Foundation
import SignalProcessing
import TelemetryModel

/// What tells a set of an exercise from walking and from other work of a hand, of the acceleration alone: all devices have it.
///
/// After RecoFit (Morris 2014): a logistic regression on shares of bands and on the autocorrelation of steps. The coefficients are in
/// `SetCoefficients`.
struct SetEvidence: Sendable, Equatable, Codable {
    /// The sums of `values` over the windows.
    private var sums = SIMD4<Double>.zero
    private var windows = 0.0

    private static let steps = CausalBandPass(from: 1.2, to: 4, sampleHertz: RepetitionSample.hertz)
    private static let fast = CausalBandPass(from: 4, to: 11, sampleHertz: RepetitionSample.hertz)

    /// Adds what the newest rows show, at most a window.
    mutating func add(_ kept: QuantizedSeries) {
        let rows = min(kept.count, RepetitionSample.window)
        guard rows > 1 else { return }
        let slow = (0..<3).reduce(0) { sum, axis in
            let deviation = deviation(kept.column(RepetitionSignal.acceleration.column + axis, newest: rows))
            return sum + deviation * deviation
        }
        let magnitude = kept.column(RepetitionSample.magnitude, newest: rows)
        let steps = Self.steps.filter(magnitude)
        let fast = Self.fast.filter(magnitude)
        let reference = logarithm(slow.squareRoot())
        sums += SIMD4(
            logarithm(deviation(steps)) - reference, Autocorrelation.firstPeak(steps, lags: 6...20)?.height ?? 0,
            logarithm(deviation(fast)) - reference, 0)
        windows += 1
    }

    /// The features of a set: the share of the band of steps and of what is faster in the motion of repetitions, as logarithms, the
    /// autocorrelation of steps, the periodicity, the logarithm of the count, and the spread of the period.
    func features(quality: Double, repetitions: Int, spread: Double?) -> [Double] {
        let means = sums / max(1, windows)
        return [
            means.x, means.y, means.z, quality, log(Double(min(max(repetitions, 1), 12))), min(spread ?? 0.2, 0.2),
        ]
    }

    private func deviation(_ values: [Double]) -> Double { Statistics.deviation(values) ?? 0 }

    private func logarithm(_ value: Double) -> Double { log(max(value, 1e-3)) }
}

/// The coefficients of two logistic regressions on the features of a set.
enum SetCoefficients {
    /// The probability over which a set is one of an exercise: low, so that few sets are lost of exercises that nobody here has seen.
    static let threshold = 0.25

    // Printed by Benchmarks/truth/fit_sets.py, from people/spar s1 to s3, three fifths of people/hmp, the phone walks of user1 and simulated
    // sets.
    private static let exercise = (-5.96, [0.69, -5.59, -0.60, 5.83, 2.35, -20.30])
    private static let right = (-4.57, [-0.22, -2.61, -0.42, 5.07, 0.77, -14.56])

    /// The probability that a set is one of an exercise, 0-1.
    static func exercise(_ features: [Double]) -> Double { probability(features, exercise) }

    /// The probability that it is, and that its count is right within one, 0-1.
    static func right(_ features: [Double]) -> Double { min(exercise(features), probability(features, right)) }

    private static func probability(_ features: [Double], _ model: (Double, [Double])) -> Double {
        let score = zip(features, model.1).reduce(model.0) { $0 + $1.0 * $1.1 }
        return 1 / (1 + exp(-min(max(score, -30), 30)))
    }
}
