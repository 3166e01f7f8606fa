/// Samples at any rate, brought to even cells of time: the mean of what lies in each cell.
///
/// A cell is complete when a sample of a later one arrives. Up to `longestGap` empty cells are filled in a straight line; after more
/// of them the signal starts anew.
package struct EvenSampler: Sendable, Equatable, Codable {
    /// A complete cell.
    package struct Cell: Sendable, Equatable {
        /// Its number: the cells since the zero of the clock.
        package var number: Int
        /// The mean of each component.
        package var values: [Double]
        /// Whether the signal starts anew with it.
        package var isFirst: Bool
    }

    /// The time of the newest sample in s; nil before the first.
    package private(set) var newest: Double?
    private var number = 0
    private var sums: [Double] = []
    private var count = 0
    private var last: [Double] = []
    private var lastNumber = 0

    /// No sample.
    package init() {}

    /// Adds a sample and returns the cells that it makes complete. One that is not later than those before, or not finite, is ignored.
    package mutating func step(time: Double, _ values: [Double], hertz: Double, longestGap: Int) -> [Cell] {
        guard time > newest ?? -.infinity, abs(time) < 1e9, values.allSatisfy(\.isFinite) else { return [] }
        newest = time
        // No sensor reaches the bound; it keeps sums finite.
        let values = values.map { min(max($0, -1e12), 1e12) }
        // In whole microseconds, in which decimal times are exact.
        let cell = Int((time * 1e6).rounded() * hertz / 1e6)
        let complete = count > 0 && cell != number ? close(longestGap: longestGap) : []
        if count == 0 {
            number = cell
            sums = values
        } else {
            for index in sums.indices { sums[index] += values[index] }
        }
        count += 1
        return complete
    }

    private mutating func close(longestGap: Int) -> [Cell] {
        let mean = sums.map { $0 / Double(count) }
        let missing = number - lastNumber - 1
        var cells: [Cell] = []
        let isFirst = last.isEmpty || missing > longestGap
        if !isFirst, missing > 0 {
            for step in 1...missing {
                let part = Double(step) / Double(missing + 1)
                cells.append(
                    Cell(
                        number: lastNumber + step, values: zip(last, mean).map { $0 + ($1 - $0) * part }, isFirst: false))
            }
        }
        cells.append(Cell(number: number, values: mean, isFirst: isFirst))
        (last, lastNumber, count) = (mean, number, 0)
        return cells
    }
}
