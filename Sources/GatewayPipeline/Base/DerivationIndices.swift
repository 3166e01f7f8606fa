/// Places in the list of all derivations, in their order; a bit for each.
struct DerivationIndices: Sendable, Equatable, Sequence, IteratorProtocol {
    /// The greatest number of derivations.
    static let capacity = UInt64.bitWidth

    private var bits: UInt64 = 0

    /// No place.
    init() {}

    /// The first `count` places.
    init(first count: Int) { bits = count < Self.capacity ? bit(count) &- 1 : .max }

    func contains(_ index: Int) -> Bool { bits & bit(index) != 0 }

    /// How many of the places stand before `index`; nil where it is none of them.
    func position(of index: Int) -> Int? {
        contains(index) ? (bits & (bit(index) &- 1)).nonzeroBitCount : nil
    }

    /// Adds a place; returns how many stand before it.
    @discardableResult
    mutating func insert(_ index: Int) -> Int {
        bits |= bit(index)
        return (bits & (bit(index) &- 1)).nonzeroBitCount
    }

    mutating func remove(_ index: Int) { bits &= ~bit(index) }

    mutating func formUnion(_ other: Self) { bits |= other.bits }

    /// Takes out the first place.
    mutating func next() -> Int? {
        guard bits != 0 else { return nil }
        defer { bits &= bits &- 1 }
        return bits.trailingZeroBitCount
    }

    private func bit(_ index: Int) -> UInt64 { 1 &<< UInt64(truncatingIfNeeded: index) }
}
