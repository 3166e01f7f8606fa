/// A few values by key, in the order in which they were added.
///
/// Two arrays and a search from the start of the keys. A device has frames of two or three streams: a dictionary for each thing that is kept by
/// stream takes two more lines of the processor's cache and a hash, several times for each frame. One array of both would be copied element by
/// element in a search.
package struct KeyedTable<Key: Equatable, Value> {
    /// A key and its value.
    package typealias Element = (key: Key, value: Value)

    /// The keys.
    package private(set) var keys: [Key] = []
    /// The values.
    package private(set) var values: [Value] = []

    /// The value of `key`; nil where there is none.
    package subscript(key: Key) -> Value? {
        get { keys.firstIndex(of: key).map { values[$0] } }
        set {
            switch (keys.firstIndex(of: key), newValue) {
            case (let index?, let value?): values[index] = value
            case (let index?, nil): remove(at: index)
            case (nil, let value?): append(key, value)
            case (nil, nil): break
            }
        }
    }

    /// The value of `key`, changed in place; where there is none, `value` is added first.
    package subscript(key: Key, default value: @autoclosure () -> Value) -> Value {
        get { self[key] ?? value() }
        _modify {
            let found = keys.firstIndex(of: key)
            if found == nil { append(key, value()) }
            yield &values[found ?? values.count - 1]
        }
    }

    /// What `body` returns for the value of `key`, which is not copied; nil where there is none.
    package func read<Result>(_ key: Key, _ body: (borrowing Value) -> Result) -> Result? {
        guard let index = keys.firstIndex(of: key) else { return nil }
        return body(values[index])
    }

    /// Changes the value of `key` in place; returns whether there is one.
    package mutating func change(_ key: Key, _ body: (inout Value) -> Void) -> Bool {
        guard let index = keys.firstIndex(of: key) else { return false }
        body(&values[index])
        return true
    }

    /// Whether there is no value.
    package var isEmpty: Bool { keys.isEmpty }

    /// Removes a value; returns it, or nil where there was none.
    package mutating func removeValue(forKey key: Key) -> Value? { keys.firstIndex(of: key).map { remove(at: $0) } }

    @discardableResult
    private mutating func remove(at index: Int) -> Value {
        keys.remove(at: index)
        return values.remove(at: index)
    }

    private mutating func append(_ key: Key, _ value: Value) {
        keys.append(key)
        values.append(value)
    }
}

extension KeyedTable: Sequence {
    /// The elements.
    package func makeIterator() -> some IteratorProtocol<Element> {
        zip(keys, values).lazy.map { (key: $0, value: $1) }.makeIterator()
    }
}

extension KeyedTable: ExpressibleByDictionaryLiteral {
    /// A table of the elements; of those with one key the last counts.
    package init(dictionaryLiteral elements: (Key, Value)...) {
        for (key, value) in elements { self[key] = value }
    }
}

extension KeyedTable: Sendable where Key: Sendable, Value: Sendable {}

extension KeyedTable: Equatable where Value: Equatable {
    /// Compares the values of all keys, in any order.
    package static func == (left: Self, right: Self) -> Bool {
        left.keys.count == right.keys.count && left.allSatisfy { right[$0.key] == $0.value }
    }
}

// A table is stored as a dictionary stores itself whose keys are neither text nor integers.

extension KeyedTable: Decodable where Key: Decodable, Value: Decodable {
    /// Reads keys and values by turns.
    package init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        while !list.isAtEnd { self[try list.decode(Key.self)] = try list.decode(Value.self) }
    }
}

extension KeyedTable: Encodable where Key: Encodable, Value: Encodable {
    /// Writes keys and values by turns.
    package func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        // By index: this code is not specialized, and the types of an iterator would be looked up in each call.
        for index in keys.indices {
            try list.encode(keys[index])
            try list.encode(values[index])
        }
    }
}
