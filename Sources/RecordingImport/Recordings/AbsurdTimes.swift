import DequeModule

/// A reading with its place in the file.
struct PlacedReading: Comparable {
    var timed: TimedReading
    /// The line of its row, from 1.
    var line: Int
    /// The number of the row.
    var place: Int

    static func == (left: Self, right: Self) -> Bool { left.timed.micros == right.timed.micros && left.place == right.place }

    static func < (left: Self, right: Self) -> Bool {
        (left.timed.micros, left.place) < (right.timed.micros, right.place)
    }
}

/// Finds single times that are far from those of the rows around them, while these agree.
struct AbsurdTimes {
    /// How many rows around it a time is compared with: half of them before and half after, but at the ends of the file.
    private static let reach = 8
    /// A time that is nearer is a row out of order, in microseconds.
    private static let least: Int64 = 60_000_000
    /// How many times further from its neighbours than these are from each other an absurd time is.
    private static let factor: Int64 = 2
    /// Behind a longer step, in microseconds, a single time is looked at even where it is in order.
    private static let longestLeap: Int64 = 30 * 86_400_000_000

    private var before: [Int64] = []
    private var waiting: Deque<PlacedReading> = []

    /// Adds the next reading of the file.
    mutating func add(_ reading: PlacedReading) { waiting.append(reading) }

    /// The next reading, and the fault of its time if it is absurd; nil where those after it are needed, or at the end.
    mutating func next(isAtEnd: Bool) -> (reading: PlacedReading, fault: RowFault?)? {
        guard isAtEnd || waiting.count > Self.reach, let reading = waiting.first else { return nil }
        let fault = fault(of: reading.timed.micros)
        waiting.removeFirst()
        if fault == nil {
            if before.count == Self.reach { before.removeFirst() }
            before.append(reading.timed.micros)
        }
        return (reading, fault)
    }

    private func fault(of micros: Int64) -> RowFault? {
        let previous = before.suffix(Self.reach / 2).max() ?? micros
        let following = waiting.dropFirst().prefix(Self.reach / 2).map(\.timed.micros).min() ?? micros
        let isInOrder = previous <= micros && micros <= following
        if isInOrder, micros - previous < Self.longestLeap, following - micros < Self.longestLeap { return nil }
        guard let (first, last) = around() else { return nil }
        let limit = max(Self.least, (last - first) * Self.factor)
        let distance = Self.text(abs(micros - (first + (last - first) / 2)))
        if micros - last > limit {
            return RowFault("far ahead in time", detail: "the time is \(distance) after those of the rows around it")
        }
        if first - micros > limit {
            return RowFault("far back in time", detail: "the time is \(distance) before those of the rows around it")
        }
        return nil
    }

    /// The times around the next, but for one at either end, which may be absurd too; nil where they are too few or in no order themselves.
    private func around() -> (first: Int64, last: Int64)? {
        let following = waiting.count - 1
        let times =
            before.suffix(max(Self.reach / 2, Self.reach - following))
            + waiting.dropFirst().prefix(max(Self.reach / 2, Self.reach - before.count)).map(\.timed.micros)
        let sorted = times.sorted()
        let descents = zip(times, times.dropFirst()).count { $0 > $1 }
        let agreeing = sorted.count > 3 ? sorted.dropFirst().dropLast() : sorted[...]
        guard descents <= 1, agreeing.count > 1, let first = agreeing.first, let last = agreeing.last else { return nil }
        return (first, last)
    }

    private static func text(_ micros: Int64) -> String {
        let seconds = (micros + 500_000) / 1_000_000
        return seconds < 2 * 86_400 ? "\(seconds) s" : "\(seconds / 86_400) days"
    }
}
