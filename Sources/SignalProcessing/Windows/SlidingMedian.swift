/// The median of a window whose values come and go one by one; for windows of some dozens of values.
package struct SlidingMedian: Sendable {
    private var sorted: [Double] = []

    /// An empty window.
    package init() {}

    /// How many values there are.
    package var count: Int { sorted.count }

    /// The middle value, or the mean of the two in the middle; nil without values.
    package var median: Double? {
        guard !sorted.isEmpty else { return nil }
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }

    /// Adds a finite value.
    package mutating func insert(_ value: Double) { sorted.insert(value, at: index(of: value)) }

    /// Removes a value that was added.
    package mutating func remove(_ value: Double) {
        let index = index(of: value)
        if index < sorted.count, sorted[index] == value { sorted.remove(at: index) }
    }

    private func index(of value: Double) -> Int {
        sorted.partitioningIndex { $0 >= value }
    }
}
