/// Summaries of lists of numbers.
package enum Statistics {
    /// The value below which the part `part` of 1 lies, interpolated in a straight line; nil for no values.
    package static func percentile(_ part: Double, of values: [Double]) -> Double? {
        let sorted = values.sorted()
        guard let last = sorted.indices.last else { return nil }
        let place = part * Double(last)
        let below = min(max(Int(place), 0), last)
        let above = min(below + 1, last)
        return sorted[below] + (sorted[above] - sorted[below]) * (place - Double(below))
    }

    /// The middle value; nil for none.
    package static func median(_ values: [Double]) -> Double? { percentile(0.5, of: values) }

    /// The mean; nil for no values.
    package static func mean(_ values: [Double]) -> Double? {
        values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
    }

    /// The standard deviation of all values, not of a sample of them; nil for none.
    package static func deviation(_ values: [Double]) -> Double? {
        guard let mean = mean(values) else { return nil }
        return (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)).squareRoot()
    }
}
