/// The checksum of FIT files: CRC-16 with the polynomial 0x8005, reflected, from 0.
package struct FITChecksum: Sendable {
    /// The checksum of the bytes so far.
    package private(set) var value: UInt16 = 0

    /// The checksum of nothing.
    package init() {}

    private static let table: [UInt16] = (0..<256).map { index in
        (0..<8).reduce(UInt16(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xA001 : value >> 1 }
    }

    /// Adds `bytes`.
    package mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = value >> 8 ^ Self.table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] }
    }
}
