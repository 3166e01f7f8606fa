/// A 64-bit checksum, four words at a time.
///
/// Each step is one-to-one in the word and in the sum so far, so bytes that differ in one word never have the same sum.
package enum Checksum {
    private static let prime: UInt64 = 0x9E37_79B1_85EB_CA87

    /// The checksum of `bytes` and their number.
    package static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var first: UInt64 = 1
        var second: UInt64 = 2
        var third: UInt64 = 3
        var fourth: UInt64 = 4
        var offset = 0
        while offset &+ 32 <= bytes.count {
            first = step(first, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            second = step(second, bytes.loadUnaligned(fromByteOffset: offset &+ 8, as: UInt64.self))
            third = step(third, bytes.loadUnaligned(fromByteOffset: offset &+ 16, as: UInt64.self))
            fourth = step(fourth, bytes.loadUnaligned(fromByteOffset: offset &+ 24, as: UInt64.self))
            offset &+= 32
        }
        var sum = step(step(step(step(UInt64(bytes.count), first), second), third), fourth)
        while offset < bytes.count {
            sum = step(sum, UInt64(bytes[offset]))
            offset &+= 1
        }
        return sum
    }

    @inline(__always)
    private static func step(_ sum: UInt64, _ word: UInt64) -> UInt64 {
        let mixed = (sum ^ word) &* prime
        return mixed ^ (mixed &>> 32)
    }
}
