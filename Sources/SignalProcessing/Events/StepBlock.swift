/// The peaks in some minutes of acceleration that may be steps, and how much like walking its windows are.
struct StepBlock {
    /// The length of a window in s.
    static let windowSeconds = 5.0
    /// The band of peaks, in Hz.
    private static let peakBand = (low: 0.75, high: 3.0)
    /// The lowest peak, in G.
    private static let lowestPeak = 0.03
    /// The shortest time between two steps, in s.
    private static let shortestStep = 0.25
    /// The band of walking, and all that is compared with it, in Hz.
    private static let band = (low: 0.6, high: 4.0)
    private static let wideBand = (low: 0.3, high: 8.0)
    /// A band ends at this part of the rate at most.
    private static let highestPart = 0.45
    /// The least standard deviation of a window in the band, in G.
    private static let leastDeviation = 0.05
    /// The lags of a step or two, in s.
    private static let lags = (shortest: 0.28, longest: 1.4)
    /// Where the acceleration's direction changes by more than this, as a multiple of the variance of its magnitude, it has to repeat itself.
    private static let turningRatio = 2.5
    /// The least autocorrelation of the three axes there.
    private static let leastRepeat = 0.6
    /// The lowest rate at which steps can be seen, 10 but for what clocks and rounded times differ by, and a rate at which a window is
    /// compared with itself, in Hz.
    private static let lowestRate = 9.5
    private static let comparedRate = 25.0
    private static let marginSeconds = 3.0

    private let times: [Double]
    private let accelerations: [SIMD3<Double>]
    private let magnitudes: [Double]
    private let rate: Double
    /// The magnitude in the band of walking.
    private let walking: [Double]
    /// The magnitude in the wide band, and the axes in the band of walking: they are needed only where somebody moves.
    private var wide: [Double]?
    private var axes: [[Double]]?

    /// The block of samples in order of time; nil where they are too sparse.
    init?(_ times: [Double], _ accelerations: [SIMD3<Double>]) {
        guard let first = times.first, let last = times.last, last > first else { return nil }
        let rate = Double(times.count - 1) / (last - first)
        guard rate >= Self.lowestRate else { return nil }
        let magnitudes = accelerations.map { ($0 * $0).sum().squareRoot() }
        (self.times, self.accelerations, self.magnitudes, self.rate) = (times, accelerations, magnitudes, rate)
        walking = Self.filtered(magnitudes, Self.band, rate)
    }

    /// How much like walking the window is that begins at `start`, 0 to 1; nil where the samples end within it.
    ///
    /// It is the share of power that repeats itself after a step or two. Hand work that turns the wrist more than it shakes it, without
    /// repeating itself, such as combing, has 0.
    mutating func score(from start: Double) -> Double? {
        let count = Int((Self.windowSeconds * rate).rounded())
        let first = index(of: start)
        guard first + count <= times.count else { return nil }
        let window = first..<first + count
        let variance = Self.variance(walking[window])
        guard variance > Self.leastDeviation * Self.leastDeviation else { return 0 }
        let stride = max(1, Int(rate / Self.comparedRate))
        let compared = rate / Double(stride)
        let lags = max(1, Int(Self.lags.shortest * compared))...Int((Self.lags.longest * compared).rounded(.up))
        func thinned(_ values: [Double]) -> [Double] {
            Swift.stride(from: first, to: first + count, by: stride).map { values[$0] }
        }
        let whole = wide ?? Self.filtered(magnitudes, Self.wideBand, rate)
        wide = whole
        let share = min(1, variance / max(Self.variance(whole[window]), 1e-12))
        let score = share * Autocorrelation.greatest([thinned(walking)], lags: lags)
        guard score > 0 else { return 0 }
        let turning = axes ?? (0..<3).map { axis in Self.filtered(accelerations.map { $0[axis] }, Self.band, rate) }
        axes = turning
        let turns = turning.reduce(0) { $0 + Self.variance($1[window]) } > Self.turningRatio * variance
        return turns && Autocorrelation.greatest(turning.map(thinned), lags: lags) < Self.leastRepeat ? 0 : score
    }

    /// The first sample that is not before `time`.
    private func index(of time: Double) -> Int {
        times.partitioningIndex { $0 >= time }
    }

    /// When the magnitude has peaks.
    var peaks: [Double] {
        // Most of a day is rest: what is nothing in the wider band is no peak.
        guard walking.contains(where: { $0 > Self.lowestPeak / 2 }) else { return [] }
        let values = Self.filtered(magnitudes, Self.peakBand, rate)
        var candidates: [Int] = []
        for index in values.indices.dropFirst().dropLast()
        where values[index] >= Self.lowestPeak && values[index] > values[index - 1] && values[index] >= values[index + 1] {
            candidates.append(index)
        }
        return thinned(candidates, values).map { times[$0] }
    }

    /// The candidates without those that are too near to a higher one, the highest first.
    private func thinned(_ candidates: [Int], _ values: [Double]) -> [Int] {
        var isKept = Array(repeating: true, count: candidates.count)
        let order = candidates.indices.sorted { values[candidates[$0]] > values[candidates[$1]] }
        for place in order where isKept[place] {
            var before = place - 1
            while before >= 0, times[candidates[place]] - times[candidates[before]] < Self.shortestStep {
                isKept[before] = false
                before -= 1
            }
            var after = place + 1
            while after < candidates.count, times[candidates[after]] - times[candidates[place]] < Self.shortestStep {
                isKept[after] = false
                after += 1
            }
        }
        return candidates.indices.filter { isKept[$0] }.map { candidates[$0] }
    }

    private static func filtered(_ values: [Double], _ band: (low: Double, high: Double), _ rate: Double) -> [Double] {
        let mean = values.reduce(0, +) / Double(max(1, values.count))
        let filter = BandPass(low: band.low, high: min(band.high, highestPart * rate), rate: rate)
        return filter?.filtered(values.map { $0 - mean }, margin: Int(marginSeconds * rate)) ?? values.map { _ in 0 }
    }

    private static func variance(_ values: ArraySlice<Double>) -> Double {
        let mean = values.reduce(0, +) / Double(max(1, values.count))
        return values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(max(1, values.count))
    }
}
