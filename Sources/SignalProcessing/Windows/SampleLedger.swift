/// The coverage and the greatest values of a sampled stream over the last seconds.
///
/// Stored as stretches of at most `stretchSeconds`, of which the oldest are dropped: 64 of them cover 6.4 s of an uninterrupted
/// stream in 2.5 KiB. What was dropped, also because gaps divide the stream into more stretches than that, counts as missing.
package struct SampleLedger: Sendable, Equatable, Codable {
    fileprivate struct Stretch: Sendable, Equatable, Codable {
        var first, last: Double
        var count: Int
        var value, level: Double
    }

    private static let capacity = 64
    private static let stretchSeconds = 0.1

    private var stretches: [Stretch] = []

    /// A stream without samples.
    package init() {}

    /// The time of the oldest stored sample, in seconds.
    package var beginning: Double? { stretches.first?.first }

    /// Adds one sample: its time in seconds, its value, and its filtered level; times increase.
    ///
    /// A step in time longer than `longestStep` seconds opens a new stretch.
    package mutating func record(time: Double, value: Double, level: Double, longestStep: Double) {
        let newest = stretches.count - 1
        guard newest >= 0, time - stretches[newest].last <= longestStep,
            time - stretches[newest].first < Self.stretchSeconds
        else {
            if stretches.count == Self.capacity { stretches.removeFirst() }
            stretches.append(Stretch(first: time, last: time, count: 1, value: value, level: level))
            return
        }
        stretches[newest].last = time
        stretches[newest].count += 1
        stretches[newest].value = max(stretches[newest].value, value)
        stretches[newest].level = max(stretches[newest].level, level)
    }

    /// Drops the stretches that end before `time`, in seconds: what is asked for afterwards begins there or later. The newest stays: where it
    /// began decides where later ones begin.
    package mutating func forget(before time: Double) {
        let kept = stretches.firstIndex { $0.last >= time } ?? stretches.count - 1
        if kept > 0 { stretches.removeFirst(kept) }
    }

    /// Samples received over samples expected at `hertz` between two times, 0-1; 0 where `end` is not after `start`.
    ///
    /// A stretch reaches to the next one, but no further than half as much again as a nominal interval past its last
    /// sample; one denser than `hertz` does not make up for one that is thinner.
    package func coverage(from start: Double, to end: Double, hertz: Double) -> Double {
        guard end > start else { return 0 }
        var covered = 0.0
        for (index, stretch) in stretches.enumerated() {
            let next = index + 1 < stretches.count ? stretches[index + 1].first : .infinity
            let overlap = min(stretch.last + 1.5 / hertz, next, end) - max(stretch.first, start)
            guard overlap > 0 else { continue }
            let expected = (stretch.last - stretch.first) * hertz + 1
            covered += overlap * min(1, Double(stretch.count) / expected)
        }
        return min(1, covered / (end - start))
    }

    /// The greatest value and level in the stretches that touch the time from `start` to `end`; nil when none does.
    package func greatest(from start: Double, to end: Double) -> (value: Double, level: Double)? {
        let touched = stretches.filter { $0.last >= start && $0.first <= end }
        guard let value = touched.map(\.value).max(), let level = touched.map(\.level).max() else { return nil }
        return (value, level)
    }
}
