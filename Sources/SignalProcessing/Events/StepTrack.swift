/// Steps in the magnitude of acceleration: peaks in 0.75 to 3 Hz, in runs of 8 or more.
///
/// Samples come one by one. A series without a gap is filtered in blocks of ten minutes, each with ten seconds before and behind it.
package struct StepTrack: Sendable {
    /// The band in Hz.
    private static let band = (low: 0.75, high: 3.0)
    /// The lowest peak, in G.
    private static let lowest = 0.03
    /// The shortest time between two steps, in s.
    private static let shortest = 0.25
    /// The longest time between two steps of a run, in s.
    private static let longest = 1.2
    /// The fewest steps of a run.
    private static let fewest = 8
    /// Samples further apart than this are of two series, in s.
    private static let gapSeconds = 0.6
    /// The lowest rate at which steps can be seen, in Hz.
    private static let lowestRate = 10.0
    private static let marginSeconds = 3.0
    private static let blockSeconds = 600.0
    /// What a block reads of its neighbours, in s: the filter has settled by then.
    private static let overlapSeconds = 10.0

    /// The samples of the series that are needed still.
    private var times: [Double] = []
    private var magnitudes: [Double] = []
    /// When the block begins whose samples come; nil before the first sample of a series.
    private var blockStart: Double?
    private var peaks: [Double] = []
    private var isDense = false

    /// No samples.
    package init() {}

    /// Adds a sample: its time in s, later than those before, and its magnitude in G.
    package mutating func add(_ magnitude: Double, at time: Double) {
        if let last = times.last, time - last > Self.gapSeconds { endSeries() }
        let start = blockStart ?? time
        blockStart = start
        if time >= start + Self.blockSeconds + Self.overlapSeconds { endBlock(from: start, to: start + Self.blockSeconds) }
        times.append(time)
        magnitudes.append(magnitude)
    }

    /// When each step was, in s: there are no more samples. Nil where no series is dense enough to see steps.
    package mutating func finish() -> [Double]? {
        endSeries()
        return isDense ? Self.runs(peaks) : nil
    }

    private mutating func endSeries() {
        if let blockStart { findPeaks(from: blockStart, to: .infinity) }
        (times, magnitudes, blockStart) = ([], [], nil)
    }

    private mutating func endBlock(from start: Double, to end: Double) {
        findPeaks(from: start, to: end)
        let count = times.firstIndex { $0 >= end - Self.overlapSeconds } ?? times.count
        times.removeFirst(count)
        magnitudes.removeFirst(count)
        blockStart = end
    }

    private mutating func findPeaks(from start: Double, to end: Double) {
        guard let found = Self.peaks(times[...], magnitudes[...]) else { return }
        isDense = true
        peaks += found.filter { $0 >= start && $0 < end }
    }

    private static func peaks(_ times: ArraySlice<Double>, _ magnitudes: ArraySlice<Double>) -> [Double]? {
        guard let first = times.first, let last = times.last, last > first else { return nil }
        let rate = Double(times.count - 1) / (last - first)
        guard rate >= lowestRate, let filter = BandPass(low: band.low, high: band.high, rate: rate) else { return nil }
        let mean = magnitudes.reduce(0, +) / Double(magnitudes.count)
        let values = filter.filtered(magnitudes.map { $0 - mean }, margin: Int(marginSeconds * rate))
        let offset = times.startIndex
        var candidates: [Int] = []
        for index in values.indices.dropFirst().dropLast()
        where values[index] >= lowest && values[index] > values[index - 1] && values[index] >= values[index + 1] {
            candidates.append(index)
        }
        return thinned(candidates, values) { times[offset + $0] }.map { times[offset + $0] }
    }

    /// The candidates without those that are too near to a higher one, the highest first.
    private static func thinned(_ candidates: [Int], _ values: [Double], _ time: (Int) -> Double) -> [Int] {
        var isKept = Array(repeating: true, count: candidates.count)
        let order = candidates.indices.sorted { values[candidates[$0]] > values[candidates[$1]] }
        for place in order where isKept[place] {
            var before = place - 1
            while before >= 0, time(candidates[place]) - time(candidates[before]) < shortest {
                isKept[before] = false
                before -= 1
            }
            var after = place + 1
            while after < candidates.count, time(candidates[after]) - time(candidates[place]) < shortest {
                isKept[after] = false
                after += 1
            }
        }
        return candidates.indices.filter { isKept[$0] }.map { candidates[$0] }
    }

    private static func runs(_ peaks: [Double]) -> [Double] {
        var (steps, run): ([Double], [Double]) = ([], [])
        for peak in peaks {
            if let last = run.last, peak - last > longest {
                if run.count >= fewest { steps += run }
                run.removeAll(keepingCapacity: true)
            }
            run.append(peak)
        }
        return run.count >= fewest ? steps + run : steps
    }
}
