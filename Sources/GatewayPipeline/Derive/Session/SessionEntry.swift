/// One event in a sum, or a level that was published several times without a change.
struct SessionEntry<Sum: SessionSum>: Codable, Sendable, Equatable {
    /// Device times in s: the first instant that it is about, and its own instant.
    var from, to: Double
    /// What it adds.
    var sum = Sum()
    /// Whether data are missing from `from` to `to`.
    var isGap = false
    /// Of a level the instant of the first message, where `to` is that of the last; nil for one event.
    private(set) var since: Double?

    /// The longest time between two messages of one level, in s. A depth state, for example, is published every second.
    private static var levelSeconds: Double { 2 }

    init(from: Double, to: Double, sum: Sum = Sum(), isGap: Bool = false) {
        self.from = from
        self.to = to
        self.sum = sum
        self.isGap = isGap
    }

    /// The instant of its first event.
    var first: Double { since ?? to }

    /// The instant of its first event after `time`; nil where there is none.
    func first(after time: Double) -> Double? { to > time ? max(first, time.nextUp) : nil }

    /// Takes the next event into the level; false where it is another or adds something.
    mutating func extend(by next: Self) -> Bool {
        guard !isGap, !next.isGap, next.sum == sum, next.to >= to, next.to <= to + Self.levelSeconds else { return false }
        var both = sum
        both.add(next.sum)
        guard both == sum else { return false }
        since = first
        from = next.from
        to = next.to
        return true
    }
}

extension SessionEntry {
    private enum CodingKeys: String, CodingKey { case from, to, sum, isGap, since }

    /// Reads an entry; of most events both instants are one, and without a sum it adds nothing.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        to = try container.decode(Double.self, forKey: .to)
        from = try container.decodeIfPresent(Double.self, forKey: .from) ?? to
        sum = try container.decodeIfPresent(Sum.self, forKey: .sum) ?? Sum()
        isGap = try container.decodeIfPresent(Bool.self, forKey: .isGap) ?? false
        since = try container.decodeIfPresent(Double.self, forKey: .since)
    }

    /// Writes the instants, and the other fields where they say something.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(from, unless: to, forKey: .from)
        try container.encode(to, forKey: .to)
        try container.encode(sum, unless: Sum(), forKey: .sum)
        try container.encode(isGap, unless: false, forKey: .isGap)
        try container.encodeIfPresent(since, forKey: .since)
    }
}
