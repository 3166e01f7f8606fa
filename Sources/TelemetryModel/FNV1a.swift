/// The hash FNV-1a with the constants that its authors publish: the same on every machine and in every run.
///
/// It recognises repeats; it is no protection against somebody who wants two inputs to collide.
package struct FNV1a<Word: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
    /// The hash of what was added.
    package var value: Word
    @usableFromInline let prime: Word

    @usableFromInline init(value: Word, prime: Word) {
        self.value = value
        self.prime = prime
    }

    /// Adds bytes.
    @inlinable package mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ Word(byte)) &* prime }
    }

    /// Adds a byte of zero, which ends a part: parts of other lengths have other hashes.
    @inlinable package mutating func addEnd() { value = value &* prime }

    /// The hash in hexadecimal digits, as many as the word has.
    package var digits: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: Word.bitWidth / 4 - digits.count) + digits
    }
}

extension FNV1a<UInt64> {
    /// The hash of nothing.
    @inlinable package init() { self.init(value: 0xCBF2_9CE4_8422_2325, prime: 0x100_0000_01B3) }
}

extension FNV1a<UInt128> {
    /// The hash of nothing.
    @inlinable package init() { self.init(value: 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D, prime: (1 << 88) + 0x13B) }
}
