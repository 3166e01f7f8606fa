/// A value of a state that is left out while it is empty: 0, false, or what its type is without a value.
@propertyWrapper
struct Sparse<Value: SparseValue>: Codable, Sendable, Equatable {
    var wrappedValue = Value()
}

/// A type with an empty value.
protocol SparseValue: Codable, Sendable, Equatable {
    /// The empty value.
    init()
}

extension Int: SparseValue {}
extension Double: SparseValue {}
extension Bool: SparseValue {}

// What the compiler writes for a type with sparse properties calls these.
extension KeyedDecodingContainer {
    /// Reads a value; the empty one where it was left out.
    func decode<Value>(_: Sparse<Value>.Type, forKey key: Key) throws -> Sparse<Value> {
        Sparse(wrappedValue: try decodeIfPresent(Value.self, forKey: key) ?? Value())
    }
}

extension KeyedEncodingContainer {
    /// Writes a value where it is not empty.
    mutating func encode<Value>(_ value: Sparse<Value>, forKey key: Key) throws {
        try encode(value.wrappedValue, unless: Value(), forKey: key)
    }
}
