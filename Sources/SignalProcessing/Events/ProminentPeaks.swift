/// The local maxima of a signal that stand out.
package enum ProminentPeaks {
    /// The indices of maxima at least `distance` samples apart, of which the lower are dropped, and at least `prominence` above the
    /// higher of the lowest points between them and the next higher sample on either side, or the signal's end.
    package static func find(in signal: [Double], distance: Int, prominence: Double) -> [Int] {
        let apart = keepHighest(maxima(of: signal), of: signal, distance: distance)
        return apart.filter { self.prominence(at: $0, in: signal) >= prominence }
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

    private static func prominence(at peak: Int, in signal: [Double]) -> Double {
        let height = signal[peak]
        var (left, right) = (height, height)
        var index = peak
        while index >= 0, signal[index] <= height {
            left = min(left, signal[index])
            index -= 1
        }
        index = peak
        while index < signal.count, signal[index] <= height {
            right = min(right, signal[index])
            index += 1
        }
        return height - max(left, right)
    }
}
