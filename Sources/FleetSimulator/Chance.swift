/// Stateless randomness: a number depends on the seed, its purpose and its index alone, so that a device can be produced lazily,
/// or from the middle, and still give the same bytes.
struct Chance: Sendable {
    /// The purpose of a random number; numbers for different purposes are independent.
    enum Purpose: UInt64, Sendable {
        case boot = 1, origin, jitter, gesture, acceleration, rotation, swing, depth, temperature, altitude, bias
    }

    let seed: UInt64

    /// 64 random bits (the SplitMix64 output function over a mixed key).
    func bits(_ purpose: Purpose, _ index: Int) -> UInt64 {
        let key = Self.mix(seed &+ purpose.rawValue &* 0x9E37_79B9_7F4A_7C15)
        return Self.mix(key &+ UInt64(bitPattern: Int64(index)) &* 0x9E37_79B9_7F4A_7C15)
    }

    /// A number in `range`, evenly distributed.
    func uniform(_ purpose: Purpose, _ index: Int, in range: ClosedRange<Double>) -> Double {
        let unit = Double(bits(purpose, index) >> 11) * 0x1p-53
        return range.lowerBound + unit * (range.upperBound - range.lowerBound)
    }

    /// Bell-shaped noise of standard deviation `sigma`, never beyond 3.5 of them: the sum of four even draws.
    func noise(_ purpose: Purpose, _ index: Int, sigma: Double) -> Double {
        let bits = bits(purpose, index)
        var sum = 0.0
        for shift in stride(from: UInt64(0), to: 64, by: 16) {
            sum += Double((bits >> shift) & 0xFFFF) / 65_535 - 0.5
        }
        // Four even draws on a unit interval have a variance of 4/12.
        return sum * 1.7320508075688772 * sigma
    }

    /// Noise on three axes at once.
    func noises(_ purpose: Purpose, _ index: Int, sigma: Double) -> Vector {
        Vector(
            x: noise(purpose, 3 * index, sigma: sigma),
            y: noise(purpose, 3 * index + 1, sigma: sigma),
            z: noise(purpose, 3 * index + 2, sigma: sigma)
        )
    }

    private static func mix(_ value: UInt64) -> UInt64 {
        var bits = value
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
