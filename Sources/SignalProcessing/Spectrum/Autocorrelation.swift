/// How alike a signal is to itself some time later.
package enum Autocorrelation {
    /// A lag at which the autocorrelation has a peak.
    package struct Peak: Sendable, Equatable {
        /// The lag in samples.
        package var lag: Int
        /// The autocorrelation there: 1 for a periodic signal, a little more for one that grows.
        package var height: Double
    }

    /// The unbiased autocorrelation at each of `lags`, over that at 0; the mean of `signal` is removed. Zeros for a constant signal.
    package static func unbiased(_ signal: [Double], lags: ClosedRange<Int>) -> [Double] {
        let mean = signal.reduce(0, +) / Double(max(1, signal.count))
        let values = signal.map { $0 - mean }
        let power = values.reduce(0) { $0 + $1 * $1 } / Double(max(1, values.count))
        guard power > 1e-18 else { return lags.map { _ in 0 } }
        return lags.map { lag in
            let count = values.count - lag
            guard count > 0 else { return 0 }
            var sum = 0.0
            for index in 0..<count { sum += values[index] * values[index + lag] }
            return sum / Double(count) / power
        }
    }

    /// The greatest autocorrelation of several axes together at one of `lags`, over the power of the parts that are compared: at most 1. The
    /// mean of each axis is removed. 0 for constant axes, and where no lag is shorter than the axes, which are equally long.
    package static func greatest(_ axes: [[Double]], lags: ClosedRange<Int>) -> Double {
        let axes = axes.map { axis in
            let mean = axis.reduce(0, +) / Double(max(1, axis.count))
            return axis.map { $0 - mean }
        }
        let count = axes.map(\.count).min() ?? 0
        // The energy of the values before each one.
        var energies = [0.0]
        for index in 0..<count { energies.append(energies[index] + axes.reduce(0) { $0 + $1[index] * $1[index] }) }
        var greatest = 0.0
        for lag in lags where lag < count {
            var sum = 0.0
            for axis in axes {
                for index in 0..<count - lag { sum += axis[index] * axis[index + lag] }
            }
            let power = (energies[count - lag] * (energies[count] - energies[lag])).squareRoot()
            if power > 1e-18 { greatest = max(greatest, sum / power) }
        }
        return greatest
    }

    /// The first local peak among `lags` that is not lower than the greatest by more than `tolerance`, as part of 1; nil where there is
    /// none over 0. Of signals with several periods that fit, this is the shortest.
    package static func firstPeak(_ signal: [Double], lags: ClosedRange<Int>, tolerance: Double = 0.05) -> Peak? {
        let heights = unbiased(signal, lags: lags)
        let peaks = heights.indices.dropFirst().dropLast().filter {
            heights[$0] >= heights[$0 - 1] && heights[$0] > heights[$0 + 1]
        }
        guard let greatest = peaks.map({ heights[$0] }).max(), greatest > 0,
            let first = peaks.first(where: { heights[$0] >= (1 - tolerance) * greatest })
        else { return nil }
        return Peak(lag: lags.lowerBound + first, height: heights[first])
    }
}
