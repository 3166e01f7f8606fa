extension Optional where Wrapped: Comparable {
    /// The lesser of what is there; nil where neither value is.
    @inlinable
    package func least(_ other: Self) -> Self {
        guard let value = self, let other else { return self ?? other }
        return Swift.min(value, other)
    }

    /// The greater of what is there; nil where neither value is.
    @inlinable
    package func greatest(_ other: Self) -> Self {
        guard let value = self, let other else { return self ?? other }
        return Swift.max(value, other)
    }
}
