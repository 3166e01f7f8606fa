extension Array {
    /// The index of the first element that satisfies `isAfter`, as all after it do; `count` where none does.
    @inlinable
    package func partitioningIndex(where isAfter: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = low + (high - low) / 2
            if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
