/// The direction in which a signal of three components varies most: its first principal component.
package struct PrincipalAxis: Sendable, Equatable {
    /// The direction, of unit length; its sign is arbitrary but the same for the same input.
    package let direction: SIMD3<Double>
    /// The variance along it.
    package let variance: Double
    /// Its part of all variance, 1/3 to 1; 0 for a constant signal.
    package let explained: Double

    /// The axis of `rows`; x for a constant signal.
    package init(of rows: [SIMD3<Double>]) {
        let count = Double(max(1, rows.count))
        let mean = rows.reduce(SIMD3<Double>.zero, +) / count
        var (diagonal, off) = (SIMD3<Double>.zero, SIMD3<Double>.zero)
        for row in rows {
            let value = row - mean
            diagonal += value * value
            off += SIMD3(value.x * value.y, value.x * value.z, value.y * value.z)
        }
        let (xx, yy, zz) = (diagonal.x / count, diagonal.y / count, diagonal.z / count)
        let (xy, xz, yz) = (off.x / count, off.y / count, off.z / count)
        let columns = [SIMD3(xx, xy, xz), SIMD3(xy, yy, yz), SIMD3(xz, yz, zz)]
        let trace = xx + yy + zz
        guard trace > 1e-18 else {
            (direction, variance, explained) = (SIMD3(1, 0, 0), 0, 0)
            return
        }
        // Power iteration from the column of the greatest variance: 64 steps part all but equal variances.
        var vector = columns.max { ($0 * $0).sum() < ($1 * $1).sum() } ?? columns[0]
        for _ in 0..<64 {
            let length = (vector * vector).sum().squareRoot()
            vector /= length
            vector = columns[0] * vector.x + columns[1] * vector.y + columns[2] * vector.z
        }
        let length = (vector * vector).sum().squareRoot()
        direction = vector / length
        variance = length
        explained = min(1, length / trace)
    }
}
