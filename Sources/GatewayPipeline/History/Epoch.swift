/// Sums over the samples of 5 s, in units of 1/2048 G: exact, and the same in any order.
struct Epoch: Sendable, Equatable {
    /// The length of an epoch in s.
    static let seconds = 5
    /// Axes with less than this are still, in units: 13 mG.
    private static let stillDeviation = 0.013 * HistoryMinute.unitsPerG

    /// The number of samples.
    private(set) var count = 0
    /// The seconds of the epoch that have samples, as bits.
    private(set) var covered: UInt8 = 0
    private(set) var sum = SIMD3<Int64>()
    private(set) var squares = SIMD3<Int64>()
    private(set) var low = SIMD3<Int64>(repeating: .max)
    private(set) var high = SIMD3<Int64>(repeating: .min)
    /// The sum of |a| in units.
    private(set) var magnitudes = 0.0

    /// Adds a sample in second `second` (0 to 4) of the epoch.
    mutating func add(_ units: SIMD3<Int64>, second: Int, magnitude: Double) {
        count += 1
        covered |= 1 << UInt8(second)
        sum &+= units
        squares &+= units &* units
        low = pointwiseMin(low, units)
        high = pointwiseMax(high, units)
        magnitudes += magnitude
    }

    /// Adds the samples of another epoch.
    mutating func add(_ other: Epoch) {
        count += other.count
        sum &+= other.sum
        squares &+= other.squares
        low = pointwiseMin(low, other.low)
        high = pointwiseMax(high, other.high)
    }

    /// How many seconds have samples.
    var coveredSeconds: Int { covered.nonzeroBitCount }

    /// Whether more than half of it has samples.
    var isUsable: Bool { coveredSeconds >= 3 }

    /// The mean of |a| in G.
    var meanMagnitude: Double { magnitudes / Double(max(1, count)) / HistoryMinute.unitsPerG }

    /// The standard deviation of an axis, in units.
    func deviation(_ axis: Int) -> Double {
        let number = Double(max(1, count))
        let mean = Double(sum[axis]) / number
        return max(0, Double(squares[axis]) / number - mean * mean).squareRoot()
    }

    /// Whether the device lay still: less than 13 mG on every axis.
    var isStill: Bool { count > 1 && (0..<3).allSatisfy { deviation($0) < Self.stillDeviation } }
}
