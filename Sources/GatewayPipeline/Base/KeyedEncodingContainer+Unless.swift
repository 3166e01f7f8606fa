extension KeyedEncodingContainer {
    /// Writes a value where it is not `usual`, which is what its reader takes for one that is left out.
    mutating func encode<Value: Encodable & Equatable>(_ value: Value, unless usual: Value, forKey key: Key) throws {
        if value != usual { try encode(value, forKey: key) }
    }
}
