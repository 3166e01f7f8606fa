import TelemetryModel

/// The valid parts of a message that are not used.
package struct PassedOver: Sendable, Equatable {
    /// Readings that nothing is derived from, by name.
    package var ignored: [String: Int] = [:]
    /// Readings that repeat an earlier one.
    package var repeated = 0

    /// Nothing.
    package init() {}
}

/// Counts by name. Senders choose the names, so their number is limited.
package struct NameCounts: Sendable, Equatable {
    /// The greatest number of names, `others` included.
    package static let most = 32
    /// The name under which further names are counted.
    package static let others = "others"
    private static let longestName = 40

    /// The count of each name.
    package private(set) var counts: [String: Int] = [:]

    /// Nothing counted.
    package init() {}

    /// Counts `name` another `count` times.
    package mutating func add(_ count: Int, of name: String) {
        let short = name.isEmpty ? Self.others : String(name.unicodeScalars.prefix(Self.longestName))
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
