extension ContinuousClock.Instant? {
    /// The earlier of two instants that may be absent; nil where both are.
    static func earlier(_ first: Self, _ second: Self) -> Self {
        guard let first, let second else { return first ?? second }
        return min(first, second)
    }
}
