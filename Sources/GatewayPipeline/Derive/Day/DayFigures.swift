internal import SignalProcessing

/// The activity of one day: ENMO of each epoch and steps.
package struct DayFigures: Sendable {
    /// The mean of max(|a| - 1 G, 0) of each epoch of the day, in mG; NaN where it is not known.
    let enmo: [Double]
    /// The steps; nil where no samples are dense enough.
    let steps: Int?
    /// How likely the steps are within 5 %, 0 to 1; nil without steps.
    let stepsConfidence: Double?
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
    /// The samples whose activity is computed at once.
    private static let samplesAtOnce = 400_000

    /// What has been computed of an ended day.
    private struct Sums: Sendable {
        let scale: Double
        let steps: [StepTrack.Step]?
        /// The sum of max(|a| - 1 G, 0) of each epoch in mG.
        var enmo: [Double]
        /// How many samples are in it.
        var samples = 0
    }

    let day: Int
    /// In ticks after the day begins.
    private var times: [Int32] = []
    /// |a| in units.
    private var magnitudes: [Float] = []
    private var steps = StepTrack()
    private var sums: Sums?

    init(day: Int) { self.day = day }

    /// Adds a sample of a minute, `microseconds` after the day begins.
    mutating func add(_ index: Int, of minute: HistoryMinute, at microseconds: Int) {
        // Rounded down: what was just before midnight is none of the day.
        let time = Int32(clamping: Int((Double(microseconds) / 100).rounded(.down)))
        times.append(time)
        magnitudes.append(Float(HistoryMinute.magnitude(minute.units(index))))
        steps.add(minute.acceleration(index), at: Double(time) / Self.ticksPerSecond)
    }

    /// Computes a part of the figures of the day, which has ended, with its epochs; nil until the last part.
    mutating func figures(_ epochs: ArraySlice<Epoch>) -> DayFigures? {
        guard var sums else {
            self.sums = begin(epochs)
            return nil
        }
        let isCalibrated = Self.scales.contains(sums.scale)
        if isCalibrated, sums.samples < times.count {
            self.sums = nil
            add(to: &sums)
            self.sums = sums
            return nil
        }
        return DayFigures(
            enmo: isCalibrated
                ? zip(epochs, sums.enmo).map { $0.isUsable ? $1 / Double($0.count) : .nan }
                : Array(repeating: .nan, count: epochs.count),
            steps: sums.steps?.count, stepsConfidence: sums.steps.flatMap(Self.confidence), isCalibrated: isCalibrated)
    }

    /// How likely steps are within 5 %: chosen by walks whose steps were counted by hand, and judged by those of others
    /// (`StepTruthTests`). The steps of a walk with a score of 0.64 have 0.9.
    private static func confidence(of steps: [StepTrack.Step]) -> Double? {
        Statistics.mean(steps.map { min(0.98, 0.9 * ($0.score * $0.score * $0.score) / 0.262) })
    }

    private mutating func begin(_ epochs: ArraySlice<Epoch>) -> Sums {
        let still = epochs.filter { $0.isUsable && $0.isStill }.map(\.meanMagnitude)
        return Sums(
            scale: still.count >= Self.fewestStill ? Statistics.percentile(0.5, of: still) ?? 1 : 1,
            steps: steps.finish()?.filter { (0..<HistoryDay.seconds).contains($0.time) },
            enmo: Array(repeating: 0, count: epochs.count))
    }

    private func add(to sums: inout Sums) {
        let factor = 1_000 / (HistoryMinute.unitsPerG * sums.scale)
        let ticks = Int32(Double(Epoch.seconds) * Self.ticksPerSecond)
        let end = min(times.count, sums.samples + Self.samplesAtOnce)
        for index in sums.samples..<end where times[index] >= 0 && Int(times[index] / ticks) < sums.enmo.count {
            sums.enmo[Int(times[index] / ticks)] += max(0, Double(magnitudes[index]) * factor - 1_000)
        }
        sums.samples = end
    }
}
