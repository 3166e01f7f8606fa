extension SwingSettings {
    /// How far a swing clears its thresholds, times how much of it arrived, 0-1.
    ///
    /// `coverage` x (c(`peakRate` / `candidatePeak`) + c(min(`rotation` / `minimumRotation`, `maximumRotation` /
    /// `rotation`))) / 2 with c(ratio) = ratio - 1 within 0-1: 0 at the thresholds, `coverage` from twice the lower and
    /// half the upper ones on. Rates in rad/s, rotation in rad and not negative, coverage 0-1; NaN counts as 0.
    package func confidence(peakRate: Double, rotation: Double, coverage: Double) -> Double {
        let bounded = min(rotation / minimumRotation, maximumRotation / rotation)
        return coverage * (clearance(peakRate / candidatePeak) + clearance(bounded)) / 2
    }

    private func clearance(_ ratio: Double) -> Double {
        ratio > 1 ? min(1, ratio - 1) : 0
    }
}
