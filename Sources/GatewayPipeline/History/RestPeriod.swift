internal import SignalProcessing
import TelemetryModel

/// The longest period of rest in a night, and the sleep in it.
///
/// The period (HDCZA, van Hees 2018): the rolling median of 5 min of the change of the forearm's angle is below a threshold for 30 min or
/// more. The threshold is 15 times its 10th percentile, held to 0.13 to 0.50 degrees. Interruptions of less than 60 min are part of it. Sleep (van Hees
/// 2015): the angle does not change by more than 5 degrees between epochs for 5 min or more. What was not worn is no rest.
///
/// The end of the samples cuts the last block: nobody knows how long it would have been. It is part of the period when it is 5 min long.
struct RestPeriod: Sendable, Equatable {
    private static let reach = 30
    private static let fewestChanges = 31
    private static let percentile = 0.1
    private static let factor = 15.0
    private static let thresholds = 0.13...0.50
    private static let shortestBlock = 360
    private static let longestBreak = 720
    private static let shortestCutBlock = 60
    /// How long before the last sample a block may end that is cut: somebody who wakes stops the recording.
    private static let cutReach = 120
    private static let turn = 5.0
    private static let shortestSleep = 60
    private static let longestWaking = 60

    /// The epochs of the period.
    let range: Range<Int>
    /// The epochs of it that are sleep.
    let sleep: Int
    /// Interruptions of more than 5 min.
    let awakenings: Int
    /// The epochs of it in which the device was not worn.
    let nonWear: Int
    /// How many seconds of it have samples.
    let coveredSeconds: Int

    /// The longest period in `night`; nil where there is none. `asleep` says for each epoch of the night
    /// whether it is sleep; without it sleep is found by the angle.
    init?(in night: Range<Int>, _ epochs: Epochs, _ wear: WearMap, asleep: [Bool]? = nil) {
        let angles = night.map { wear.state($0) == .notWorn ? .nan : epochs.angles[$0] }
        let end = night.last { !epochs.angles[$0].isNaN } ?? night.lowerBound
        guard let rest = Self.longest(angles, end: end - night.lowerBound) else { return nil }
        range = night.lowerBound + rest.lowerBound..<night.lowerBound + rest.upperBound
        let isAsleep = (asleep ?? Self.sleep(angles))[rest]
        sleep = isAsleep.count { $0 }
        awakenings = Self.runs(isAsleep.map { !$0 }).count { $0.count > Self.longestWaking }
        nonWear = range.count { wear.state($0) == .notWorn }
        coveredSeconds = epochs.coveredSeconds(in: range)
    }

    /// The longest block of rest, as indices of `angles`, of which that at `end` is the last with samples.
    private static func longest(_ angles: [Double], end: Int) -> Range<Int>? {
        let medians = medians(changes(of: angles))
        guard let low = Statistics.percentile(percentile, of: medians.filter { !$0.isNaN }) else { return nil }
        let threshold = min(max(factor * low, thresholds.lowerBound), thresholds.upperBound)
        var joined: [Range<Int>] = []
        for block in runs(medians.map { $0 < threshold }) {
            let isCut = block.count >= shortestCutBlock && end - block.upperBound <= cutReach
            if let last = joined.last, block.lowerBound - last.upperBound < longestBreak, isCut || block.count >= shortestBlock {
                joined[joined.count - 1] = last.lowerBound..<block.upperBound
            } else if block.count >= shortestBlock {
                joined.append(block)
            }
        }
        return joined.max { ($0.count, -$0.lowerBound) < ($1.count, -$1.lowerBound) }
    }

    /// The change of the angle from each epoch to the next, in degrees; NaN where one of them is not known.
    private static func changes(of angles: [Double]) -> [Double] { zip(angles, angles.dropFirst()).map { abs($1 - $0) } }

    /// The rolling median of 5 min; NaN where less than half of it, or the value in the middle, is known.
    private static func medians(_ changes: [Double]) -> [Double] {
        var window = SlidingMedian()
        var next = 0
        return changes.indices.map { index in
            while next < changes.count, next <= index + reach {
                if !changes[next].isNaN { window.insert(changes[next]) }
                next += 1
            }
            if index > reach, !changes[index - reach - 1].isNaN { window.remove(changes[index - reach - 1]) }
            guard window.count >= min(fewestChanges, changes.count), !changes[index].isNaN else { return .nan }
            return window.median ?? .nan
        }
    }

    /// Whether each epoch is sleep.
    private static func sleep(_ angles: [Double]) -> [Bool] {
        var isAsleep = Array(repeating: false, count: angles.count)
        let isCalm = changes(of: angles).map { $0 <= turn }
        for run in runs(isCalm) where run.count + 1 >= shortestSleep {
            for index in run.lowerBound...run.upperBound { isAsleep[index] = true }
        }
        return isAsleep
    }

    /// The ranges of consecutive true values.
    private static func runs(_ values: [Bool]) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start: Int?
        for index in values.indices {
            if values[index] {
                start = start ?? index
            } else if let first = start {
                runs.append(first..<index)
                start = nil
            }
        }
        if let start { runs.append(start..<values.count) }
        return runs
    }
}
