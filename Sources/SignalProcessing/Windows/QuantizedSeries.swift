/// Rows of numbers in two bytes each, of which the oldest are dropped. Public for the reason that `EvenSampler` is.
public struct QuantizedSeries: Sendable, Equatable, Codable {
    /// The unit of each column.
    @usableFromInline let scales: [Double]
    @usableFromInline var values: [Int16] = []

    private enum CodingKeys: String, CodingKey {
        case scales, values, steps
    }

    /// An empty series with a column for each of `scales`; a number beyond 32,767 of them is cut.
    package init(scales: [Double]) { self.scales = scales }

    /// Reads the values as steps, or as they were written by earlier versions, two bytes each.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        scales = try container.decode([Double].self, forKey: .scales)
        if let steps = try container.decodeIfPresent([UInt8].self, forKey: .steps) {
            guard let values = Self.values(of: steps, columns: scales.count) else {
                throw DecodingError.dataCorruptedError(forKey: .steps, in: container, debugDescription: "the last row is cut")
            }
            self.values = values
            return
        }
        let bytes = try container.decode([UInt8].self, forKey: .values)
        guard !scales.isEmpty, bytes.count % (2 * scales.count) == 0 else {
            throw DecodingError.dataCorruptedError(forKey: .values, in: container, debugDescription: "the last row is cut")
        }
        values = stride(from: 0, to: bytes.count, by: 2).map {
            Int16(truncatingIfNeeded: Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8)
        }
    }

    /// Writes each value as its difference from the row before, in one byte where that is small.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(scales, forKey: .scales)
        try container.encode(steps, forKey: .steps)
    }

    /// The differences, each with its sign in the lowest bit, seven bits in a byte, the lowest first.
    private var steps: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(values.count + 16)
        for index in values.indices {
            let before = index < scales.count ? 0 : Int32(values[index - scales.count])
            let step = Int32(values[index]) - before
            var rest = UInt32(bitPattern: (step << 1) ^ (step >> 31))
            while rest >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            bytes.append(UInt8(truncatingIfNeeded: rest))
        }
        return bytes
    }

    /// The values of differences; nil where they are none that are written.
    private static func values(of steps: [UInt8], columns: Int) -> [Int16]? {
        guard columns > 0 else { return nil }
        var values: [Int16] = []
        var (rest, shift) = (UInt32(0), UInt32(0))
        for byte in steps {
            guard shift < 21 else { return nil }
            rest |= UInt32(byte & 0x7F) << shift
            shift += 7
            guard byte < 0x80 else { continue }
            let step = Int32(bitPattern: rest >> 1) ^ -Int32(bitPattern: rest & 1)
            let before = values.count < columns ? 0 : Int32(values[values.count - columns])
            guard let value = Int16(exactly: before + step) else { return nil }
            values.append(value)
            (rest, shift) = (0, 0)
        }
        return shift == 0 && values.count % columns == 0 ? values : nil
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

    /// Drops the oldest rows until `limit` are left, with the room that they took.
    package mutating func shrink(to limit: Int) { values = Array(values.suffix(limit * scales.count)) }

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
