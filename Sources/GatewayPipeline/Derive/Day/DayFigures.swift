internal import SignalProcessing

/// The activity of one day: ENMO of each epoch and steps.
package struct DayFigures: Sendable {
    /// The mean of max(|a| - 1 G, 0) of each epoch of the day, in mG; NaN where it is not known.
    let enmo: [Double]
    /// The steps; nil where no samples are dense enough.
    let steps: Int?
    /// Whether the acceleration of a device that lies still is within 10 % of 1 G.
    let isCalibrated: Bool
}

/// The samples of one day, and of a minute before and after it, so that a run of steps over midnight is seen.
struct DayBuffer {
    /// The fewest still epochs that show the calibration.
    private static let fewestStill = 12
    /// The scale of the acceleration that is no fault.
    private static let scales = 0.9...1.1
    private static let ticksPerSecond = 10_000.0

    let day: Int
    /// In ticks after the day begins.
    private var times: [Int32] = []
    /// |a| in units.
    private var magnitudes: [Float] = []

    init(day: Int) { self.day = day }

    /// Adds a sample, `microseconds` after the day begins.
    mutating func add(_ magnitude: Double, at microseconds: Int) {
        times.append(Int32(clamping: microseconds / 100))
        magnitudes.append(Float(magnitude))
    }

    /// The figures, with the day's epochs.
    func figures(_ epochs: ArraySlice<Epoch>) -> DayFigures {
        let still = epochs.filter { $0.isUsable && $0.isStill }.map(\.meanMagnitude)
        let scale = still.count >= Self.fewestStill ? Quantile.value(0.5, of: still) ?? 1 : 1
        let isCalibrated = Self.scales.contains(scale)
        let times = times.map { Double($0) / Self.ticksPerSecond }
        let steps = StepCount.steps(times: times, magnitudes: magnitudes.map { Double($0) / HistoryMinute.unitsPerG })
        return DayFigures(
            enmo: isCalibrated ? enmo(epochs, scale: scale) : Array(repeating: .nan, count: epochs.count),
            steps: steps.map { $0.filter { (0..<HistoryDay.seconds).contains($0) }.count }, isCalibrated: isCalibrated)
    }

    private func enmo(_ epochs: ArraySlice<Epoch>, scale: Double) -> [Double] {
        var sums = Array(repeating: 0.0, count: epochs.count)
        let factor = 1_000 / (HistoryMinute.unitsPerG * scale)
        let ticks = Int32(Double(Epoch.seconds) * Self.ticksPerSecond)
        for index in times.indices where times[index] >= 0 && Int(times[index] / ticks) < sums.count {
            sums[Int(times[index] / ticks)] += max(0, Double(magnitudes[index]) * factor - 1_000)
        }
        return zip(epochs, sums).map { $0.isUsable ? $1 / Double($0.count) : .nan }
    }
}
