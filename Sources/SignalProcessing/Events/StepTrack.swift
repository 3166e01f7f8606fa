/// Steps in acceleration: peaks of its magnitude where it repeats itself as in walking.
///
/// A window of 5 s begins with each second. Its score is the greatest autocorrelation of the magnitude in 0.6 to 4 Hz, times the share of
/// that band in 0.3 to 8 Hz (`StepBlock`). Somebody walks where the mean of the scores of five windows is high for nine or more in a row.
///
/// Samples come one by one. A series without a gap is processed in blocks of two minutes, each with ten seconds before and behind it.
package struct StepTrack: Sendable {
    /// A step.
    package struct Step: Sendable, Equatable {
        /// When it was, in s.
        package var time: Double
        /// How much its walk repeats itself, 0 to 1: the mean score.
        package var score: Double
    }

    /// The least mean score of walking.
    private static let leastScore = 0.26
    /// The mean is of this many windows to either side, and of the one between them.
    private static let reach = 2
    /// The fewest windows in a row of a walk.
    private static let fewestWindows = 9
    /// Samples further apart than this are of two series, in s.
    private static let gapSeconds = 0.6
    private static let blockSeconds = 120.0
    /// What a block reads of its neighbours, in s: the filters have settled by then, and a window that begins in the block ends in it.
    private static let overlapSeconds = 10.0

    /// The samples of the series that are needed still.
    private var times: [Double] = []
    private var accelerations: [SIMD3<Double>] = []
    /// When the block begins whose samples come; nil before the first sample of a series.
    private var blockStart: Double?
    /// The peaks of the series, and the scores of its windows, which begin a second after each other.
    private var peaks: [Double] = []
    private var scores: [Double] = []
    /// When the first window begins.
    private var firstWindow = 0.0
    private var steps: [Step] = []
    private var isDense = false

    /// No samples.
    package init() {}

    /// Adds a sample: its time in s, later than those before, and the total acceleration in G.
    package mutating func add(_ acceleration: SIMD3<Double>, at time: Double) {
        if let last = times.last, time - last > Self.gapSeconds { endSeries() }
        if blockStart == nil { firstWindow = time.rounded(.up) }
        let start = blockStart ?? time
        blockStart = start
        if time >= start + Self.blockSeconds + Self.overlapSeconds { endBlock(from: start, to: start + Self.blockSeconds) }
        times.append(time)
        accelerations.append(acceleration)
    }

    /// The steps: there are no more samples. Nil where no series is dense enough to see steps.
    package mutating func finish() -> [Step]? {
        endSeries()
        return isDense ? steps : nil
    }

    private mutating func endSeries() {
        if let blockStart { process(from: blockStart, to: .infinity) }
        for (walk, score) in walks() { steps += peaks.filter { walk.contains($0) }.map { Step(time: $0, score: score) } }
        (times, accelerations, blockStart) = ([], [], nil)
        (peaks, scores) = ([], [])
    }

    private mutating func endBlock(from start: Double, to end: Double) {
        process(from: start, to: end)
        let count = times.firstIndex { $0 >= end - Self.overlapSeconds } ?? times.count
        times.removeFirst(count)
        accelerations.removeFirst(count)
        blockStart = end
    }

    private mutating func process(from start: Double, to end: Double) {
        guard var block = StepBlock(times, accelerations) else {
            // Nobody walks in samples that are too sparse: the windows of the next block have their own places.
            while end.isFinite, firstWindow + Double(scores.count) < end { scores.append(0) }
            return
        }
        isDense = true
        peaks += block.peaks.filter { $0 >= start && $0 < end }
        while true {
            let begin = firstWindow + Double(scores.count)
            guard begin < end, let score = block.score(from: begin) else { return }
            scores.append(score)
        }
    }

    /// When somebody walks in the series. A walk in its first or last window reaches to its end.
    private func walks() -> [(ClosedRange<Double>, score: Double)] {
        var walks: [(ClosedRange<Double>, score: Double)] = []
        var first: Int?
        for index in 0...scores.count {
            if index < scores.count, meanScore(index) > Self.leastScore {
                first = first ?? index
            } else if let begin = first {
                first = nil
                guard index - begin >= Self.fewestWindows else { continue }
                let start = begin == 0 ? -.infinity : firstWindow + Double(begin)
                let end = index == scores.count ? .infinity : firstWindow + Double(index - 1) + StepBlock.windowSeconds
                walks.append((start...end, (begin..<index).reduce(0) { $0 + meanScore($1) } / Double(index - begin)))
            }
        }
        return walks
    }

    private func meanScore(_ index: Int) -> Double {
        let around = scores[max(0, index - Self.reach)...min(index + Self.reach, scores.count - 1)]
        return around.reduce(0, +) / Double(around.count)
    }
}
