import TelemetryModel

/// What of a message is not used, though nothing is wrong with it.
package struct PassedOver: Sendable, Equatable {
    /// Readings that nothing is derived from, by name.
    package var ignored: [String: Int] = [:]
    /// Readings that were there before.
    package var repeated = 0

    /// Nothing.
    package init() {}
}

/// Counts by names that strangers choose, so only so many are told apart.
package struct NameCounts: Sendable, Equatable {
    /// How many names there can be, the one for all others counted.
    package static let most = 32
    /// The name for all that come when there are enough.
    package static let others = "others"
    private static let longestName = 40

    /// How often each was counted.
    package private(set) var counts: [String: Int] = [:]

    /// Nothing counted.
    package init() {}

    /// Counts `name` another `count` times.
    package mutating func add(_ count: Int, of name: String) {
        let short = name.isEmpty ? Self.others : String(name.prefix(Self.longestName))
        let isKnown = counts[short] != nil || counts.count < Self.most - 1
        counts[isKnown ? short : Self.others, default: 0].addSaturated(count)
    }

    /// The sum of two counts, by the same rule.
    package static func + (left: Self, right: Self) -> Self {
        var sum = left
        for (name, count) in right.counts.sorted(by: { $0.key < $1.key }) { sum.add(count, of: name) }
        return sum
    }
}
