import TelemetryModel

/// What was published of the parts of recorded days, such as minutes: a hash of each part's numbers, and how often it was published.
struct PublishedParts: Sendable, Equatable, Codable {
    /// By day and part: the hash above, the revision in the lowest 8 bits.
    private var days: [Int: [Int: Int]] = [:]

    /// Whether nothing was published.
    var isEmpty: Bool { days.isEmpty }

    /// Records that `part` of `day` now has `numbers`; returns how often it was published before with others, nil where it has not changed
    /// since.
    mutating func revise(_ part: Int, of day: Int, _ numbers: [Double]) -> Int? {
        let before = days[day]?[part]
        let hash = Self.hash(of: numbers)
        if let before, before & ~0xFF == hash { return nil }
        let revision = before.map { min($0 & 0xFF + 1, 0xFF) } ?? 0
        days[day, default: [:]][part] = hash | revision
        return revision
    }

    /// Forgets all but the last `mostDays` days.
    mutating func trim(to mostDays: Int) { days.keepLast(mostDays) }

    /// The hash of the bits of numbers, folded to 32 bits, the lowest 8 of them 0: the same on every machine and in every process.
    private static func hash(of numbers: [Double]) -> Int {
        var hash = FNV1a64()
        for number in numbers { hash.add(number.bitPattern) }
        return Int(UInt32(truncatingIfNeeded: hash.value ^ hash.value >> 32) & ~0xFF)
    }
}

extension Dictionary where Key == Int {
    /// Drops all but the values of the `count` greatest keys.
    mutating func keepLast(_ count: Int) {
        for key in keys.sorted().dropLast(count) { self[key] = nil }
    }
}
