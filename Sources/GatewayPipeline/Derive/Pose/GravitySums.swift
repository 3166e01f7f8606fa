/// The mean direction of gravity over some samples, and how far they lie from it.
struct GravitySums: Sendable, Equatable, Codable {
    private(set) var count = 0.0
    private(set) var sum = SIMD3<Double>.zero
    /// The greatest angle from the template in rad.
    private(set) var greatest = 0.0

    /// Adds a direction of unit length.
    mutating func add(_ gravity: SIMD3<Double>, deviation: Double = 0) {
        count += 1
        sum += gravity
        greatest = max(greatest, deviation)
    }

    /// Adds the samples of `other`.
    mutating func add(_ other: Self) {
        count += other.count
        sum += other.sum
        greatest = max(greatest, other.greatest)
    }

    /// The mean; zero without samples.
    var mean: SIMD3<Double> { count > 0 ? sum / count : .zero }

    /// The RMS distance of the samples from `point`: for small angles the RMS angle in rad.
    func distance(from point: SIMD3<Double>) -> Double {
        guard count > 0 else { return 0 }
        // |g - p|^2 = 1 - 2 g.p + |p|^2 for directions of unit length.
        return max(0, 1 - 2 * (mean * point).sum() + (point * point).sum()).squareRoot()
    }
}
