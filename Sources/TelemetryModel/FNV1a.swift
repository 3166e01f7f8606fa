/// The hash FNV-1a of 64 bits with its published constants: the same on every machine and in every run.
///
/// It detects repeats; it does not protect against deliberate collisions.
package struct FNV1a64: Sendable {
    /// The hash of what was added.
    package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    private static let prime: UInt64 = 0x100_0000_01B3

    /// The hash of nothing.
    package init() {}

    /// Adds bytes.
    package mutating func add(_ bytes: Span<UInt8>) { addFNV1a(bytes, to: &value, prime: Self.prime) }

    /// Adds the UTF-8 bytes of `text`.
    package mutating func add(_ text: String) { add(text.utf8.span) }

    /// Adds the eight bytes of `word`, the lowest first.
    package mutating func add(_ word: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) { value = (value ^ (word >> UInt64(shift)) & 0xFF) &* Self.prime }
    }

    /// The hash in 16 hexadecimal digits.
    package var digits: String { hexadecimal([value]) }
}

/// The hash FNV-1a of 32 bits, as `FNV1a64`.
package struct FNV1a32: Sendable {
    /// The hash of what was added.
    package private(set) var value: UInt32 = 0x811C_9DC5

    private static let prime: UInt32 = 0x0100_0193

    /// The hash of nothing.
    package init() {}

    /// Adds the UTF-8 bytes of `text`.
    package mutating func add(_ text: String) { addFNV1a(text.utf8.span, to: &value, prime: Self.prime) }
}

/// The hash FNV-1a of 128 bits, as `FNV1a64`.
package struct FNV1a128: Sendable {
    /// The hash of what was added.
    package private(set) var value: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D

    private static let prime: UInt128 = (1 << 88) + 0x13B

    /// The hash of nothing.
    package init() {}

    /// Adds the UTF-8 bytes of `text`.
    package mutating func add(_ text: String) { addFNV1a(text.utf8.span, to: &value, prime: Self.prime) }

    /// Adds a byte of zero, which ends a part, so that parts of different lengths have different hashes.
    package mutating func addEnd() { value = value &* Self.prime }

    /// The hash in 32 hexadecimal digits.
    package var digits: String { hexadecimal([UInt64(truncatingIfNeeded: value >> 64), UInt64(truncatingIfNeeded: value)]) }
}

// Generic functions of another module are not specialised, and a message id is hashed byte by byte: both types are concrete.
@inline(__always)
private func addFNV1a<Word: FixedWidthInteger>(_ bytes: Span<UInt8>, to hash: inout Word, prime: Word) {
    for index in bytes.indices { hash = (hash ^ Word(truncatingIfNeeded: bytes[index])) &* prime }
}

private func hexadecimal(_ words: [UInt64]) -> String {
    String(unsafeUninitializedCapacity: 16 * words.count) { digits in
        for (index, word) in words.enumerated() {
            for place in 0..<16 {
                let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * place)) & 15
                digits[16 * index + place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
            }
        }
        return 16 * words.count
    }
}
