/// Rows of numbers in two bytes each, of which the oldest are dropped. Public for the reason that `EvenSampler` is.
public struct QuantizedSeries: Sendable, Equatable, Codable {
    /// The unit of each column.
    @usableFromInline let scales: [Double]
    @usableFromInline var values: [Int16] = []

    private enum CodingKeys: String, CodingKey {
        case scales, values
    }

    /// An empty series with a column for each of `scales`; a number beyond 32,767 of them is cut.
    package init(scales: [Double]) { self.scales = scales }

    /// Reads the values as bytes, the form in which they are stored smallest.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        scales = try container.decode([Double].self, forKey: .scales)
        let bytes = try container.decode([UInt8].self, forKey: .values)
        guard !scales.isEmpty, bytes.count % (2 * scales.count) == 0 else {
            throw DecodingError.dataCorruptedError(forKey: .values, in: container, debugDescription: "the last row is cut")
        }
        values = stride(from: 0, to: bytes.count, by: 2).map {
            Int16(truncatingIfNeeded: Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8)
        }
    }

    /// Writes the values as bytes.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(scales, forKey: .scales)
        let bytes = values.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        try container.encode(bytes, forKey: .values)
    }

    /// The number of rows.
    package var count: Int { values.count / scales.count }

    /// Adds a row, of the first elements of a vector; what is not a number becomes 0.
    @inlinable
    public mutating func append<Row: SIMD>(_ row: Row) where Row.Scalar == Double {
        for (column, scale) in scales.enumerated() where column < row.scalarCount {
            values.append(Int16(clamping: Int(exactly: min(max((row[column] / scale).rounded(), -1e6), 1e6)) ?? 0))
        }
    }

    /// Drops the oldest rows until `limit` are left.
    package mutating func keep(_ limit: Int) {
        if count > limit { values.removeFirst((count - limit) * scales.count) }
    }

    /// Drops every row.
    package mutating func removeAll() { values.removeAll() }

    /// The newest `rows` of a column, oldest first; all where there are fewer.
    package func column(_ column: Int, newest rows: Int = .max) -> [Double] {
        let first = max(0, count - min(rows, count))
        return (first..<count).map { Double(values[$0 * scales.count + column]) * scales[column] }
    }

    /// The newest `rows` of three neighbouring columns.
    package func vectors(_ first: Int, newest rows: Int = .max) -> [SIMD3<Double>] {
        let (x, y, z) = (column(first, newest: rows), column(first + 1, newest: rows), column(first + 2, newest: rows))
        return x.indices.map { SIMD3(x[$0], y[$0], z[$0]) }
    }
}
