internal import Foundation
import SignalProcessing
import TelemetryModel

/// Push-ups, as the head's way down and up while it is prone.
///
/// The acceleration along gravity, between 0.25 and 3 Hz, is integrated twice; both integrals leak, so that neither drifts.
struct PushUpCount: Sendable, Equatable, Codable {
    private static let band = CausalBandPass(from: 0.25, to: 3, sampleHertz: HeadSample.hertz)
    /// How much of an integral is lost in a cell: 0.15 Hz.
    private static let leak = 2 * Double.pi * 0.15 / HeadSample.hertz
    /// What is kept: 12 s.
    private static let kept = 300
    /// The part of the other push-ups' upward acceleration that one needs. The depth rings after the last one, by the
    /// filter; the acceleration itself does not.
    private static let leastShare = 0.5

    /// The cells before and after a peak in which its upward acceleration is looked for: 0.48 and 1.6 s, as the filters lead a slow
    /// movement by that much.
    private static let (before, lead) = (12, 40)

    private var bank: CausalBandPassBank<SIMD2<Double>>?
    private var velocity = 0.0
    private var depth = 0.0
    /// Depth in m, acceleration as it came in G and the angle to neutral in rad.
    private var rows = QuantizedSeries(scales: [1e-3, 5e-4, 2e-4])
    private var newest = 0
    /// The latest cell in which the head was prone.
    private var proneAt = -PushUpCount.kept
    /// The latest peak that was looked at, as a cell.
    private var decided = 0
    /// The upward accelerations of the push-ups of the set, at most 31.
    private var pushes: [Double] = []
    /// How periodic the depth was at each of them, at most 31.
    private var heights: [Double] = []
    /// The push-ups of the set: how many, the first and the last as cells, and the squares of the times between them.
    private(set) var count = 0
    private var first = 0
    private var last = 0
    private var squares = 0.0

    /// Drops the signal, because samples are missing; the count stays.
    private mutating func interrupt() {
        bank = nil
        (velocity, depth) = (0, 0)
        rows.removeAll()
    }

    /// Adds a cell; `angle` is that to neutral in rad, `isProne` whether it is that of a prone head.
    mutating func take(_ sample: HeadSample, cell: Int, angle: Double, isProne: Bool) {
        // The rows must be those up to the newest cell. Cells in which gravity had no direction are missing, too.
        if cell - newest > HeadSample.longestGap { interrupt() }
        let input = SIMD2(sample.vertical, 0)
        var bank = self.bank ?? CausalBandPassBank(settledAt: input, Self.band)
        let vertical = bank.step(input, Self.band).x
        self.bank = bank
        velocity += vertical * 9.80665 / HeadSample.hertz - Self.leak * velocity
        depth += velocity / HeadSample.hertz - Self.leak * depth
        rows.append(SIMD3(depth, sample.vertical, angle))
        newest = cell
        if isProne { proneAt = cell }
    }

    /// Looks for push-ups that are complete; returns whether there was one.
    mutating func update(_ settings: PostureSettings) -> Bool {
        rows.keep(Self.kept)
        // Most of the day no head is prone.
        guard newest - proneAt < rows.count else { return false }
        let depths = rows.column(0)
        let distance = max(1, Int(settings.pushUpSeconds * HeadSample.hertz))
        let peaks = ProminentPeaks.find(in: depths, distance: distance, prominence: settings.pushUpMeters)
        let prone = proneRows(settings)
        let accelerations = smoothed(rows.column(1))
        var found = false
        for (place, peak) in peaks.enumerated() {
            let cell = newest - rows.count + 1 + peak
            guard cell >= decided + distance, peak < depths.count - max(distance, Self.lead), depths.count > 151 else { continue }
            decided = cell
            // The head must have been prone when it began to go down, too: lying down is no push-up.
            let from = place > 0 ? peaks[place - 1] : 0
            let top = (from...peak).min { depths[$0] < depths[$1] } ?? from
            guard prone[top], prone[peak] else { continue }
            let push = -(accelerations[max(0, peak - Self.before)...peak + Self.lead].min() ?? 0)
            guard push >= Self.leastShare * (Statistics.median(pushes) ?? 0) else { continue }
            pushes = (pushes + [push]).suffix(31)
            heights = (heights + [Autocorrelation.firstPeak(depths, lags: 15...150)?.height ?? 0]).suffix(31)
            if count > 0 {
                let interval = Double(cell - last)
                squares += interval * interval
            }
            if count == 0 { first = cell }
            (count, last) = (count + 1, cell)
            found = true
        }
        return found
    }

    /// The set so far, numbered; nil without push-ups.
    func set(number: Int) -> RepetitionSet? {
        guard count > 0 else { return nil }
        let period = period ?? 0
        let intervals = Double(count - 1)
        let variance = count > 2 ? max(0, squares / HeadSample.hertz / HeadSample.hertz / intervals - period * period) : 0
        return RepetitionSet(
            start: time(of: first), end: time(of: last), set: number, repetitions: count, period: period,
            periodSpread: count > 2 && period > 0 ? variance.squareRoot() / period : nil, rangeOfMotion: nil,
            signal: .acceleration, quality01: min(1, max(0, Statistics.median(heights) ?? 0)), exercise: .pushUp)
    }

    /// The mean time from one to the next in s; nil for fewer than two.
    var period: Double? { count > 1 ? Double(last - first) / Double(count - 1) / HeadSample.hertz : nil }

    /// Seconds since the last push-up.
    var silence: Double { Double(newest - last) / HeadSample.hertz }

    /// Begins another set.
    mutating func clear() {
        (count, first, last, squares) = (0, 0, 0, 0)
        (pushes, heights) = ([], [])
    }

    private func time(of cell: Int) -> DeviceTime { DeviceTime((Double(cell) + 0.5) / HeadSample.hertz) }

    /// For each row whether the head is prone, by the median angle of the second up to it.
    private func proneRows(_ settings: PostureSettings) -> [Bool] {
        let limit = settings.proneDegrees * .pi / 180
        // The median is over the limit when more than half of the values are.
        let over = rows.column(2).map { $0 > limit ? 1 : 0 }
        var sum = 0
        return over.indices.map { index in
            sum += over[index]
            if index >= 25 { sum -= over[index - 25] }
            return 2 * sum > min(index + 1, 25)
        }
    }

    /// The mean of five samples around each.
    private func smoothed(_ signal: [Double]) -> [Double] {
        signal.indices.map { index in
            let part = signal[max(0, index - 2)...min(index + 2, signal.count - 1)]
            return part.reduce(0, +) / Double(part.count)
        }
    }
}
