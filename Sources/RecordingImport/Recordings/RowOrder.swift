/// How far the rows of a table are from the order of time.
enum RowOrder {
    /// Every row is at or after the one before.
    case inOrder
    /// Every row has its place among the `window` rows around it.
    case nearly
    /// Rows are further away from their place.
    case shuffled

    /// How many readings are held back so that later rows can come before them.
    static let window = 4096
}

/// Finds how far times are from their order.
struct RowOrderSurvey {
    /// The greatest times up to the last rows: a ring.
    private var greatest: [Int64] = []
    private var count = 0
    private var maximum = Int64.min

    /// The order so far.
    private(set) var order = RowOrder.inOrder

    /// Adds the time of the next row.
    mutating func add(_ micros: Int64) {
        defer { remember(max(maximum, micros)) }
        guard micros < maximum else { return }
        // What is not held back any more when the row comes is at most as late as the row so many before.
        let isFar = greatest.count == RowOrder.window && greatest[count % RowOrder.window] > micros
        if isFar { order = .shuffled } else if case .inOrder = order { order = .nearly }
    }

    private mutating func remember(_ value: Int64) {
        maximum = value
        if greatest.count < RowOrder.window { greatest.append(value) } else { greatest[count % RowOrder.window] = value }
        count += 1
    }
}

/// Finds tables whose times begin again, as those of several dives do. Rows that are shuffled or stand elsewhere leave a hole where they belong.
struct RestartSurvey {
    /// So many holes are known, the greatest.
    private static let mostHoles = 64
    /// How far a counter of 32 bits goes back where it begins again, in microseconds, if it counts these or milliseconds.
    private static let wraps: [Int64] = [1 << 32, (1 << 32) * 1000]
    /// The longest time between the rows around that, in microseconds.
    private static let longestStep: Int64 = 60_000_000

    private var rows = 0
    private var descents = 0
    private var restarts = 0
    private var firstLine: Int?
    private var previous: Int64?
    private var least = Int64.max
    private var greatest = Int64.min
    private var holes: [(from: Int64, to: Int64)] = []
    /// The row before which the times went back, with the time at which they reached the least before it again, and that least; until
    /// the row behind shows whether they go on through the times that were there before.
    private var descended: (row: PlacedReading, least: Int64)?

    /// Adds the next row.
    mutating func add(_ reading: PlacedReading) {
        let micros = reading.timed.micros
        rows += 1
        if let previous, micros < previous {
            descents += 1
            descended = (reading, least)
            if Self.wraps.contains(where: { (0...Self.longestStep).contains(micros + $0 - previous) }) { restart(at: reading) }
        } else if let (row, least) = descended, micros >= least {
            if row.timed.micros < least {
                descended?.row.timed = reading.timed
            } else {
                let isOn = row.timed.micros < micros && micros < greatest
                if isOn, !holes.contains(where: { $0.from < row.timed.micros && micros < $0.to }) { restart(at: row) }
                descended = nil
            }
        }
        if let previous, micros >= previous { note(hole: (previous, micros)) }
        previous = micros
        least = min(least, micros)
        greatest = max(greatest, micros)
    }

    private mutating func restart(at row: PlacedReading) {
        restarts += 1
        firstLine = firstLine ?? row.line
        descended = nil
    }

    private mutating func note(hole: (from: Int64, to: Int64)) {
        let length = hole.to - hole.from
        guard holes.count < Self.mostHoles || length > holes[holes.count - 1].to - holes[holes.count - 1].from else { return }
        let index = holes.firstIndex { $0.to - $0.from < length } ?? holes.count
        holes.insert(hole, at: index)
        if holes.count > Self.mostHoles { holes.removeLast() }
    }

    /// The line of the row at which the times first begin again; nil where they do not.
    var line: Int? { restarts > 0 && restarts == descents && descents * 3 <= rows ? firstLine : nil }
}
