/// A value with a mark whether it may have changed since it was last written.
@propertyWrapper
package struct Tracked<Value> {
    private var storage: Value
    /// Whether it may have changed.
    private(set) var isChanged = false

    /// An unchanged value.
    package init(wrappedValue: Value) { storage = wrappedValue }

    /// The value; any access that may change it counts as a change.
    package var wrappedValue: Value {
        _read { yield storage }
        _modify {
            isChanged = true
            yield &storage
        }
    }

    /// The value with its mark.
    package var projectedValue: Self {
        _read { yield self }
        _modify { yield &self }
    }

    /// Counts the value as changed.
    mutating func markChanged() { isChanged = true }

    /// Counts the value as written; returns whether it had changed.
    mutating func takeChange() -> Bool {
        defer { isChanged = false }
        return isChanged
    }

    /// Restores a stored value.
    mutating func restore(_ value: Value) { storage = value }
}

extension Tracked: Sendable where Value: Sendable {}

extension Tracked: Equatable where Value: Equatable {
    /// Compares the values alone.
    package static func == (left: Self, right: Self) -> Bool { left.storage == right.storage }
}
