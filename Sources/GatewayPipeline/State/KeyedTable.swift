/// A few values by key, in the order in which they were added.
///
/// One array and a search from its start. A device has frames of two or three streams: a dictionary for each thing that is kept by stream
/// takes two more lines of the processor's cache and a hash, several times for each frame.
package struct KeyedTable<Key: Equatable, Value> {
    /// A key and its value.
    package typealias Element = (key: Key, value: Value)

    private var elements: [Element] = []

    /// An empty table.
    package init() {}

    private func index(of key: Key) -> Int? {
        for index in elements.indices where elements[index].key == key { return index }
        return nil
    }

    /// The value of `key`; nil where there is none.
    package subscript(key: Key) -> Value? {
        get { index(of: key).map { elements[$0].value } }
        set {
            switch (index(of: key), newValue) {
            case (let index?, let value?): elements[index].value = value
            case (let index?, nil): elements.remove(at: index)
            case (nil, let value?): elements.append((key, value))
            case (nil, nil): break
            }
        }
    }

    /// The value of `key`, changed in place; where there is none, `value` is added first.
    package subscript(key: Key, default value: @autoclosure () -> Value) -> Value {
        get { self[key] ?? value() }
        _modify {
            let found = index(of: key)
            if found == nil { elements.append((key, value())) }
            yield &elements[found ?? elements.count - 1].value
        }
    }

    /// What `body` returns for the value of `key`, which is not copied; nil where there is none.
    package func read<Result>(_ key: Key, _ body: (borrowing Value) -> Result) -> Result? {
        guard let index = index(of: key) else { return nil }
        return body(elements[index].value)
    }

    /// Changes the value of `key` in place; returns whether there is one.
    package mutating func change(_ key: Key, _ body: (inout Value) -> Void) -> Bool {
        guard let index = index(of: key) else { return false }
        body(&elements[index].value)
        return true
    }

    /// The keys.
    package var keys: some Collection<Key> { elements.lazy.map(\.key) }

    /// The values.
    package var values: some Collection<Value> { elements.lazy.map(\.value) }

    /// Whether there is no value.
    package var isEmpty: Bool { elements.isEmpty }

    /// Removes a value; returns it, or nil where there was none.
    package mutating func removeValue(forKey key: Key) -> Value? { index(of: key).map { elements.remove(at: $0).value } }

    /// A table of the elements for which `condition` is true.
    package func filter(_ condition: (Element) throws -> Bool) rethrows -> Self {
        var kept = Self()
        kept.elements = try elements.filter(condition)
        return kept
    }

    /// Adds the values of another table, which replace those of the same keys.
    package mutating func merge(_ other: Self) {
        for element in other { self[element.key] = element.value }
    }
}

extension KeyedTable: Sequence {
    /// The elements.
    package func makeIterator() -> IndexingIterator<[Element]> { elements.makeIterator() }
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
        left.elements.count == right.elements.count && left.elements.allSatisfy { right[$0.key] == $0.value }
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
        for (key, value) in elements {
            try list.encode(key)
            try list.encode(value)
        }
    }
}
