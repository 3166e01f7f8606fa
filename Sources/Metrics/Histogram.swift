/// A distribution of values as counts in fixed buckets.
package struct Histogram: Sendable, Equatable {
    /// The upper bounds of the buckets, in increasing order; the last bucket, above all of them, has none.
    package let bounds: [Double]
    /// How many values are in each bucket: at most its bound, and greater than the one before.
    package private(set) var counts: [Int]
    /// The sum of all values.
    package private(set) var sum = 0.0

    /// An empty histogram.
    package init(bounds: [Double]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    /// Adds `value` `count` times. A negative value counts as 0; one that is not finite is left out.
    package mutating func observe(_ value: Double, count: Int = 1) {
        guard value.isFinite, count > 0 else { return }
        let value = max(0, value)
        let index = bounds.firstIndex { value <= $0 } ?? bounds.count
        counts[index] &+= count
        sum += value * Double(count)
    }

    /// The values of both; `right` must have the same bounds.
    package static func + (left: Self, right: Self) -> Self {
        precondition(left.bounds == right.bounds, "histograms of different bounds")
        var merged = left
        for index in merged.counts.indices { merged.counts[index] &+= right.counts[index] }
        merged.sum += right.sum
        return merged
    }
}
