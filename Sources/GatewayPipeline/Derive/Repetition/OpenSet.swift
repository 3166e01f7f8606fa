internal import Foundation
import SignalProcessing
import TelemetryModel

/// A set that is under way: the signal it is counted in, and what was counted in the part of it that is no longer kept.
struct OpenSet: Sendable, Equatable, Codable {
    /// Its number in the workout.
    let number: Int
    /// The signal that won.
    let signal: RepetitionSignal
    private let axis: SIMD3<Double>
    private let tiltAxis: SIMD3<Double>
    /// The signal along its axis, and gravity's direction along its own.
    private var series: QuantizedSeries
    /// The cell of the first row.
    private var firstCell: Int
    /// The latest estimates of the period and of the height, at most `mostEstimates`.
    private var periods: [Double]
    private var heights: [Double]
    /// The extremes up to `countedUntil`, which are not looked for again.
    private var counted = Extremes()
    private var countedUntil: Int
    /// Where the stream itself began, if the set may have begun with it.
    private let streamStart: Int?
    /// Whether the last value is held after what was measured.
    private var isHeld = false
    /// What tells it from other motion.
    private var evidence = SetEvidence()
    /// The repetitions that were published last.
    var published = 0

    private static let mostEstimates = 31
    /// 60 s, of which the oldest 24 s are dropped at once.
    private static let capacity = 1_500
    private static let dropped = 600
    /// What is kept of the signal before the first extreme that is looked for: two of the longest periods, for the filter to settle.
    private static let settling = 300

    /// The counts and the ends of extremes of one sense each.
    private struct Extremes: Sendable, Equatable, Codable {
        var count = SIMD2<Int>(0, 0)
        var first: [Int?] = [nil, nil]
        var last: [Int?] = [nil, nil]
        /// The sums of the times from one extreme to the next, in cells, and of their squares.
        var sum = 0.0
        var squares = 0.0
        var intervals = 0

        mutating func add(_ cell: Int, _ sense: Int) {
            if let last = last[sense] {
                let interval = Double(cell - last)
                sum += interval
                squares += interval * interval
                intervals += 1
            }
            first[sense] = first[sense] ?? cell
            last[sense] = cell
            count[sense] += 1
        }
    }

    /// A set that `found` begins, with the rows of `kept`, the newest of which is `cell`; none before `floor`. The stream began at `start`.
    init(
        _ found: PeriodicSignal, number: Int, in kept: QuantizedSeries, newest cell: Int, after floor: Int, start: Int
    ) {
        self.number = number
        signal = found.signal
        axis = found.axis.direction
        let rows = max(1, min(kept.count, cell - floor))
        let gravity = kept.vectors(RepetitionSignal.tilt.column, newest: rows)
        tiltAxis = PrincipalAxis(of: gravity).direction
        series = QuantizedSeries(scales: [
            RepetitionSample.scales[found.signal.column], RepetitionSample.scales[RepetitionSignal.tilt.column],
        ])
        firstCell = cell - rows + 1
        countedUntil = firstCell - 1
        streamStart = firstCell <= start + 1 ? firstCell : nil
        (periods, heights) = ([found.period], [found.height])
        for (value, gravity) in zip(kept.vectors(found.signal.column, newest: rows), gravity) {
            series.append(SIMD2((value * axis).sum(), (gravity * tiltAxis).sum()))
        }
        evidence.add(kept)
    }

    /// Adds the filtered values of the next cell.
    mutating func append(_ values: RepetitionSample.Values) {
        let column = signal.column
        let value = SIMD3(values[column], values[column + 1], values[column + 2])
        let gravity = SIMD3(values[0], values[1], values[2])
        series.append(SIMD2((value * axis).sum(), (gravity * tiltAxis).sum()))
    }

    /// The period in s: the median of the latest estimates.
    var period: Double { Statistics.median(periods) ?? 1 }

    /// The next cells are filtered values of a last value that is held: they let out what the filters delay.
    mutating func hold() { isHeld = true }

    /// Estimates the period again, and counts for good what is about to be dropped.
    mutating func update(_ kept: QuantizedSeries, _ settings: RepetitionSettings) {
        evidence.add(kept)
        let window = series.column(0, newest: RepetitionSample.window)
        if let peak = PeriodicSignal.period(of: window, settings), peak.height > settings.periodicHeight {
            periods = (periods + [peak.period]).suffix(Self.mostEstimates)
            heights = (heights + [peak.height]).suffix(Self.mostEstimates)
        }
        guard series.count > Self.capacity else { return }
        let cut = firstCell + Self.dropped + Self.settling
        counted = extremes(until: cut)
        countedUntil = cut
        firstCell += Self.dropped
        series.keep(series.count - Self.dropped)
    }

    /// What the set holds now: repetitions, their first and last instant in s, and the intervals between them.
    struct Count {
        /// The mean of maxima and minima, so that half a lift at either end counts once.
        var repetitions: Int
        /// The first and the last extreme, in s.
        var first, last: Double
        /// The cell of the last extreme in the filtered signal.
        var lastCell: Int
        /// The standard deviation of the time between extremes of one sense as part of its mean; nil for fewer than two times.
        var spread: Double?
    }

    /// Counts; nil where there is no extreme yet.
    func count() -> Count? {
        let extremes = extremes(until: .max)
        guard let first = extremes.first.compactMap(\.self).min(), let last = extremes.last.compactMap(\.self).max() else {
            return nil
        }
        let hertz = RepetitionSample.hertz
        let mean = extremes.intervals > 0 ? extremes.sum / Double(extremes.intervals) : nil
        let spread = mean.flatMap { mean in
            extremes.intervals > 1
                ? max(0, extremes.squares / Double(extremes.intervals) - mean * mean).squareRoot() / mean : nil
        }
        // The middle of a cell, less what both filters delay a steady repetition.
        let delay = RepetitionSample.band.delay(hertz: 1 / period) + filter.delay(hertz: 1 / period)
        func seconds(_ cell: Int) -> Double { (Double(cell) + 0.5) / hertz - delay }
        return Count(
            repetitions: (extremes.count[0] + extremes.count[1] + 1) / 2, first: seconds(first), last: seconds(last),
            lastCell: last, spread: spread)
    }

    /// The features of the set, with what was counted.
    func features(_ count: Count) -> [Double] {
        evidence.features(quality: quality, repetitions: count.repetitions, spread: count.spread)
    }

    /// How periodic it was, 0-1.
    var quality: Double { min(1, max(0, Statistics.median(heights) ?? 0)) }

    /// The angle in rad through which gravity turns.
    var rangeOfMotion: Double? {
        let tilt = series.column(1)
        guard let high = Statistics.percentile(0.95, of: tilt), let low = Statistics.percentile(0.05, of: tilt) else {
            return nil
        }
        // The distance between two directions of unit length is the chord of their angle.
        return 2 * asin(min(1, (high - low) / 2))
    }

    private var filter: CausalBandPass {
        CausalBandPass(from: 0.45 / period, to: 1.7 / period, sampleHertz: RepetitionSample.hertz)
    }

    /// What was counted for good, and the extremes after that up to `last`: the longest run of them without a pause.
    private func extremes(until last: Int) -> Extremes {
        let filtered = filter.filter(series.column(0))
        let range =
            (Statistics.percentile(0.95, of: filtered) ?? 0) - (Statistics.percentile(0.05, of: filtered) ?? 0)
        let distance = max(1, Int(period / 2 * RepetitionSample.hertz))
        var extremes = counted
        for (sense, signal) in [filtered, filtered.map { -$0 }].enumerated() {
            let found = ProminentPeaks.find(
                in: signal, distance: distance, prominence: range / 2, edge: 0.6,
                first: streamStart == firstCell ? Int(1.25 * period * RepetitionSample.hertz) : .min,
                last: isHeld ? .min : .max
            ).map { firstCell + $0 }.filter { $0 > countedUntil && $0 <= last }
            for cell in run(of: found, after: counted.last[sense]) { extremes.add(cell, sense) }
        }
        return extremes
    }

    /// The longest run of cells no further apart than 1.5 periods; where some are counted for good, the run that follows them.
    private func run(of cells: [Int], after counted: Int?) -> [Int] {
        let longest = Int(1.5 * period * RepetitionSample.hertz)
        var runs: [[Int]] = []
        for cell in cells {
            if let last = runs.last?.last, cell - last <= longest {
                runs[runs.count - 1].append(cell)
            } else {
                runs.append([cell])
            }
        }
        if let counted { return runs.first.flatMap { $0[0] - counted <= longest ? $0 : nil } ?? [] }
        return runs.reversed().max { $0.count < $1.count } ?? []
    }
}
