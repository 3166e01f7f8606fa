extension FixedWidthInteger {
    /// The sum; where it overflows, the greatest or least value of the type.
    @inlinable package func addingSaturated(_ other: Self) -> Self {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? (other < 0 ? .min : .max) : sum
    }

    /// Adds `other`; where the sum overflows, this becomes the greatest or least value of the type.
    @inlinable package mutating func addSaturated(_ other: Self) { self = addingSaturated(other) }
}
