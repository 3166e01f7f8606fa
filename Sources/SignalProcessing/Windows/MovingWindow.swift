/// The newest samples of a signal that cover a length of time, at any rate.
///
/// A sample covers the interval before it; the first one covers an interval like the one after it. So n even samples cover n
/// intervals, and a few missing ones count like the mean of the others.
///
/// Times are in seconds and increase; values are held in single precision and have to be finite in it. An integral, a mean or
/// a peak costs time in proportion to the samples held.
package struct MovingWindow: Sendable, Equatable, Codable {
    private var times: [Double] = []
    private var values: [Float] = []
    private var firstInterval = 0.0

    /// An empty window.
    package init() {}

    /// The number of samples.
    package var count: Int { times.count }

    /// The time of the oldest sample; nil when there is none.
    package var start: Double? { times.first }

    /// The time that the samples cover, in seconds; 0 for fewer than two.
    package var duration: Double {
        guard let first = times.first, let last = times.last else { return 0 }
        return last - first + firstInterval
    }

    /// The mean interval between samples, in seconds; nil for fewer than two.
    package var meanInterval: Double? { count > 1 ? duration / Double(count) : nil }

    /// Adds a sample later than the last one and drops the oldest ones that are not needed to cover `seconds`.
    package mutating func append(time: Double, value: Double, seconds: Double) {
        if let last = times.last, count == 1, firstInterval == 0 { firstInterval = time - last }
        times.append(time)
        values.append(Float(value))
        while count > 1, duration - firstInterval >= seconds - tolerance { removeFirst() }
    }

    /// Drops every sample.
    package mutating func removeAll() { self = Self() }

    /// Whether the samples cover `seconds`, to half a sample.
    package func fills(_ seconds: Double) -> Bool {
        count > 1 && duration >= seconds - tolerance
    }

    /// The integral in the value's unit times seconds: the mean of the samples times `duration`.
    package var integral: Double {
        count > 0 ? values.reduce(0) { $0 + Double($1) } / Double(count) * duration : 0
    }

    /// The mean of the newest samples that cover `seconds`, to half a sample; nil when fewer are held.
    package func mean(newest seconds: Double) -> Double? {
        var (sum, held) = (0.0, 0.0)
        for index in times.indices.reversed() {
            sum += Double(values[index])
            held += interval(index)
            if held > 0, held >= seconds - tolerance { return sum / Double(count - index) }
        }
        return nil
    }

    /// The greatest sample, the first of equals; nil when there is none.
    package var greatest: SignalPeak? { peak { $0 > $1 } }

    /// The least sample, the first of equals; nil when there is none.
    package var least: SignalPeak? { peak { $0 < $1 } }

    /// The time of the newest sample whose size is over `limit`; nil when there is none.
    package func newest(over limit: Double) -> Double? {
        values.lastIndex { abs(Double($0)) > limit }.map { times[$0] }
    }

    /// Whether the size of the newest sample is over `limit`.
    package func isNewest(over limit: Double) -> Bool { values.last.map { abs(Double($0)) > limit } ?? false }

    /// Half of the mean interval.
    private var tolerance: Double { duration / Double(count) / 2 }

    private func interval(_ index: Int) -> Double {
        index == 0 ? firstInterval : times[index] - times[index - 1]
    }

    private mutating func removeFirst() {
        firstInterval = interval(1)
        times.removeFirst()
        values.removeFirst()
    }

    private func peak(_ exceeds: (Float, Float) -> Bool) -> SignalPeak? {
        guard var best = values.indices.first else { return nil }
        for index in values.indices where exceeds(values[index], values[best]) { best = index }
        return SignalPeak(time: times[best], value: Double(values[best]))
    }
}
