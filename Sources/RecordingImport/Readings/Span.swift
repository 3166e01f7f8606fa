extension Optional {
    /// Extends a span so that it contains a value; nil becomes the span of that value alone.
    mutating func include<Bound>(_ value: Bound) where Wrapped == ClosedRange<Bound> {
        self = map { min($0.lowerBound, value)...max($0.upperBound, value) } ?? value...value
    }
}
