/// The local maxima of a signal that stand out.
package enum ProminentPeaks {
    /// The indices of maxima at least `distance` samples apart, of which the lower are dropped, and at least `prominence` above the
    /// higher of the lowest points between them and the next higher sample on either side, or the signal's end. Of equal maxima with no
    /// such point between them the last is found: a quantized signal may have two in one movement.
    ///
    /// A filtered signal begins and ends in the middle of its range. So for the first maximum, if it is before `first`, and for the last, if it
    /// is after `last`, the part `edge` of the prominence suffices on the side on which there is no higher sample.
    package static func find(
        in signal: [Double], distance: Int, prominence: Double, edge: Double = 1, first: Int = .min, last: Int = .max
    ) -> [Int] {
        let apart = keepHighest(maxima(of: signal), of: signal, distance: distance)
        var found: [Int] = []
        for peak in apart {
            let (left, right) = (base(at: peak, in: signal, step: -1), base(at: peak, in: signal, step: 1))
            let isFirst = found.isEmpty && peak < first && left.isEnd
            let isLast = peak == apart.last && peak > last && right.isEnd
            let height = signal[peak]
            if height - left.lowest >= (isFirst ? edge : 1) * prominence,
                height - right.lowest >= (isLast ? edge : 1) * prominence
            {
                found.append(peak)
            }
        }
        return found
    }

    /// Local maxima; of a plateau its middle.
    private static func maxima(of signal: [Double]) -> [Int] {
        var found: [Int] = []
        var index = 1
        while index < signal.count - 1 {
            guard signal[index] > signal[index - 1] else {
                index += 1
                continue
            }
            var end = index
            while end + 1 < signal.count, signal[end + 1] == signal[index] { end += 1 }
            if end + 1 < signal.count, signal[end + 1] < signal[index] { found.append((index + end) / 2) }
            index = end + 1
        }
        return found
    }

    private static func keepHighest(_ peaks: [Int], of signal: [Double], distance: Int) -> [Int] {
        var isKept = peaks.map { _ in true }
        let byHeight = peaks.indices.sorted { (signal[peaks[$0]], $0) > (signal[peaks[$1]], $1) }
        for place in byHeight where isKept[place] {
            var before = place - 1
            while before >= 0, peaks[place] - peaks[before] < distance {
                isKept[before] = false
                before -= 1
            }
            var after = place + 1
            while after < peaks.count, peaks[after] - peaks[place] < distance {
                isKept[after] = false
                after += 1
            }
        }
        return peaks.indices.filter { isKept[$0] }.map { peaks[$0] }
    }

    /// The lowest point on one side of a peak before the next higher sample, or before an equal maximum that is later; and whether the
    /// signal ends before that.
    private static func base(at peak: Int, in signal: [Double], step: Int) -> (lowest: Double, isEnd: Bool) {
        let height = signal[peak]
        var (lowest, index) = (height, peak)
        while signal.indices.contains(index), signal[index] <= height {
            if step > 0, lowest < height, signal[index] == height { return (lowest, false) }
            lowest = min(lowest, signal[index])
            index += step
        }
        return (lowest, !signal.indices.contains(index))
    }
}
