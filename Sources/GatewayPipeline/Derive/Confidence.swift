import Foundation

/// How likely an event is what it is said to be, by how far it is over its threshold: a logistic curve over the logarithm of the ratio.
///
/// `Benchmarks/truth/fit_confidence.py` fits the coefficients on simulated people with other movements, 40 of each kind; no person was
/// recorded. Of what has 0.9 and more, more than 90 % are right on other simulated people.
struct Confidence: Sendable, Equatable {
    /// The logarithm of the odds at the threshold.
    let atThreshold: Double
    /// How much it grows with the logarithm of the ratio.
    let slope: Double

    /// Strokes with the preset `tennis`.
    static let tennis = Self(atThreshold: -6.26, slope: 14.48)
    /// Strokes with the preset `tableTennis`.
    static let tableTennis = Self(atThreshold: -1.87, slope: 7.29)
    /// Punches.
    static let punch = Self(atThreshold: -2.22, slope: 4.54)

    /// The share of such events that are right, 0-1; `ratio` is the value over its threshold, and NaN counts as 0.
    func share(at ratio: Double) -> Double {
        guard ratio > 0 else { return 0 }
        return 1 / (1 + exp(-(atThreshold + slope * log(ratio))))
    }
}

extension StrokeSettings {
    /// The confidence of a stroke.
    var confidence: Confidence { preset == .tennis ? .tennis : .tableTennis }
}

extension PunchSettings {
    /// The confidence of a punch whose peak is `ratio` times the least.
    func confidence(_ ratio: Double) -> Double { Confidence.punch.share(at: ratio) }
}
