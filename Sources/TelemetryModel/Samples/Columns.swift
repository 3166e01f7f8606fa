/// Three equally long columns of numbers: one vector a row.
public struct VectorColumns: Sendable, Equatable, Codable {
    /// The components about or along the device's axes.
    public var x, y, z: [Double]

    /// Columns of equal length; the caller has checked that.
    public init(x: [Double] = [], y: [Double] = [], z: [Double] = []) {
        self.x = x
        self.y = y
        self.z = z
    }

    /// The number of rows.
    public var count: Int { x.count }

    /// Row `index` as a vector.
    public subscript(index: Int) -> SIMD3<Double> {
        get { SIMD3(x[index], y[index], z[index]) }
        set { (x[index], y[index], z[index]) = (newValue.x, newValue.y, newValue.z) }
    }

    /// Adds a row.
    public mutating func append(_ row: SIMD3<Double>) {
        x.append(row.x)
        y.append(row.y)
        z.append(row.z)
    }

    /// Makes room for so many rows.
    public mutating func reserveCapacity(_ count: Int) {
        x.reserveCapacity(count)
        y.reserveCapacity(count)
        z.reserveCapacity(count)
    }

    /// The rows in `range`.
    public func slice(_ range: Range<Int>) -> Self {
        Self(x: Array(x[range]), y: Array(y[range]), z: Array(z[range]))
    }
}

/// Four equally long columns: one quaternion a row, in Core Motion's order x, y, z, w.
public struct QuaternionColumns: Sendable, Equatable, Codable {
    /// The components; w is the scalar and may be negative.
    public var x, y, z, w: [Double]

    /// Columns of equal length; the caller has checked that.
    public init(x: [Double] = [], y: [Double] = [], z: [Double] = [], w: [Double] = []) {
        self.x = x
        self.y = y
        self.z = z
        self.w = w
    }

    /// The number of rows.
    public var count: Int { x.count }

    /// Row `index`, scalar last.
    public subscript(index: Int) -> SIMD4<Double> { SIMD4(x[index], y[index], z[index], w[index]) }

    /// Adds a row.
    public mutating func append(_ row: SIMD4<Double>) {
        x.append(row.x)
        y.append(row.y)
        z.append(row.z)
        w.append(row.w)
    }

    /// Makes room for so many rows.
    public mutating func reserveCapacity(_ count: Int) {
        x.reserveCapacity(count)
        y.reserveCapacity(count)
        z.reserveCapacity(count)
        w.reserveCapacity(count)
    }

    /// The rows in `range`.
    public func slice(_ range: Range<Int>) -> Self {
        Self(x: Array(x[range]), y: Array(y[range]), z: Array(z[range]), w: Array(w[range]))
    }
}
