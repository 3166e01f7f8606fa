extension Collection where Element: Equatable {
    /// How many elements are to be inserted, left out or replaced to make one of the other.
    @inlinable package func editDistance(to other: [Element]) -> Int {
        var row = Array(0...other.count)
        for (index, element) in enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in other.indices {
                let replaced = diagonal + (element == other[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = Swift.min(replaced, row[column] + 1, diagonal + 1)
            }
        }
        return row[other.count]
    }
}
