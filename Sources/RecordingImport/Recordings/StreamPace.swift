/// How far the samples of a stream are apart, and where some are missing.
struct StreamPace {
    /// Time without samples.
    struct Hole: Equatable {
        /// The sample before it, in microseconds of the device's clock.
        var start: Int64
        /// Its length in microseconds.
        var length: Int64
    }

    /// The interval is the median of so many.
    private static let most = 256
    /// How many holes are kept: the greatest.
    private static let kept = 5

    private var last: Int64?
    /// The first intervals, until there are enough.
    private var first: [Hole] = []
    /// The usual interval in microseconds; nil before it is known.
    private(set) var interval: Int64?
    /// The greatest holes of more than twice the interval, the greatest first.
    private(set) var holes: [Hole] = []
    /// How many holes there are.
    private(set) var holeCount = 0

    /// Adds the time of a sample, which is not before the one before.
    mutating func add(_ micros: Int64) {
        defer { last = micros }
        guard let last, micros > last else { return }
        let step = Hole(start: last, length: micros - last)
        guard interval == nil else { return note(step) }
        first.append(step)
        if first.count == Self.most { finish() }
    }

    /// Settles the interval of a stream with few samples.
    mutating func finish() {
        guard interval == nil, !first.isEmpty else { return }
        interval = first.map(\.length).sorted()[first.count / 2]
        for step in first { note(step) }
        first = []
    }

    private mutating func note(_ step: Hole) {
        guard let interval, step.length / 2 > interval else { return }
        holeCount += 1
        let place = holes.firstIndex { $0.length < step.length } ?? holes.count
        guard place < Self.kept else { return }
        holes.insert(step, at: place)
        if holes.count > Self.kept { holes.removeLast() }
    }
}
