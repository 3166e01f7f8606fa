import JSONText

extension JSONWriter {
    /// An array of numbers, one for each element; 9 decimals are beyond what any sensor resolves.
    mutating func column<Element>(_ key: StaticString, _ elements: [Element], _ value: (Element) -> Double) {
        column(key, elements, decimals: 9, value)
    }

    /// Microseconds as seconds.
    mutating func microseconds(_ key: StaticString, _ value: Int64) { fixed(key, value, decimals: 6) }

    /// Microseconds as seconds, as an element of an array.
    mutating func microseconds(_ value: Int64) { fixed(nil, value, decimals: 6) }

    /// A number; nothing where there is none.
    mutating func quantity(_ key: StaticString, _ value: Double?) {
        if let value { field(key, value) }
    }

    /// A value and its unit; nothing where there is none.
    mutating func quantity(_ key: StaticString, _ measured: WaterReading.Measured?) {
        guard let measured else { return }
        object(key) {
            $0.field("value", measured.value)
            $0.field("unit", measured.unit)
        }
    }
}
