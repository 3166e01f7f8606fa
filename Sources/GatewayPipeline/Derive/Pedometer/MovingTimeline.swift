import TelemetryModel

/// When somebody moved: pauses and resumptions by their dates, in whatever order they become known.
///
/// Of two pauses, or two resumptions, in a row the first holds. A mark stays open for a while, so that an earlier one may still
/// arrive, and is then settled; nothing before the last settled one changes any more.
struct MovingTimeline: Sendable, Equatable, Codable {
    /// A pause or a resumption.
    struct Mark: Sendable, Equatable, Codable {
        /// Device time in s.
        var time: Double
        var isMoving: Bool
        var cause: Pace.Cause
        /// The frame that showed it; nil of one that no numbered frame did.
        var sequence: UInt64?
    }

    private static let capacity = 256

    /// The open marks by time; a pause before a resumption of the same instant.
    private(set) var marks: [Mark] = []
    /// Whether somebody moved after the last settled mark.
    private var settledIsMoving: Bool
    /// The last settled mark, or the start of the count.
    private(set) var settledAt: Double
    /// Whether movement before the first mark is a presumption, which a resumption as the first mark shows to be wrong.
    private var isPresumed: Bool

    /// A timeline from `start` on, on which somebody is presumed to move or to stand.
    init(start: Double, isMoving: Bool) {
        settledAt = start
        settledIsMoving = isMoving
        isPresumed = isMoving
    }

    /// Adds a mark; false where it is there already or lies before what is settled.
    mutating func insert(_ mark: Mark) -> Bool {
        guard mark.time.isFinite,
            mark.time > settledAt || (mark.time == settledAt && (isPresumed || mark.isMoving != settledIsMoving))
        else { return false }
        guard !marks.contains(where: { $0.time == mark.time && $0.isMoving == mark.isMoving }) else { return false }
        let index = marks.firstIndex { ($0.time, $0.isMoving ? 1 : 0) > (mark.time, mark.isMoving ? 1 : 0) } ?? marks.endIndex
        marks.insert(mark, at: index)
        return true
    }

    /// Gives the marks that no numbered frame showed the number of the first frame.
    mutating func number(_ first: UInt64) {
        for index in marks.indices where marks[index].sequence == nil { marks[index].sequence = first }
    }

    /// Whether there are more open marks than are kept.
    var isFull: Bool { marks.count > Self.capacity }

    private var startsMoving: Bool { settledIsMoving && !(isPresumed && marks.first?.isMoving == true) }

    /// The open marks that change something.
    var effective: [Mark] {
        var isMoving = startsMoving
        return marks.filter { mark in
            defer { isMoving = mark.isMoving }
            return mark.isMoving != isMoving
        }
    }

    /// Whether somebody moves after all marks.
    var isMoving: Bool { marks.last?.isMoving ?? settledIsMoving }

    /// The last mark, or the start of the count.
    var since: Double { marks.last?.time ?? settledAt }

    /// Seconds of movement between two instants after the last settled mark.
    func movingTime(from start: Double, to end: Double) -> Double {
        guard start < end else { return 0 }
        var isMoving = startsMoving
        var since = settledAt
        var sum = 0.0
        func overlap(_ from: Double, _ to: Double) -> Double { max(0, min(to, end) - max(from, start)) }
        for mark in marks {
            if isMoving { sum += overlap(since, mark.time) }
            (isMoving, since) = (mark.isMoving, mark.time)
        }
        return isMoving ? sum + overlap(since, .infinity) : sum
    }

    /// Settles the marks up to `limit`, one after the other, and returns the next that changes something; nil where there is none.
    mutating func settleNext(until limit: Double) -> Mark? {
        while let mark = marks.first, mark.time <= limit {
            let isChange = mark.isMoving != startsMoving
            marks.removeFirst()
            isPresumed = false
            guard isChange else { continue }
            settledIsMoving = mark.isMoving
            settledAt = mark.time
            return mark
        }
        return nil
    }

    /// Keeps the marks after `start` and begins there; whether somebody moves then is presumed.
    mutating func restart(at start: Double, isMoving: Bool) {
        let later = marks.filter { $0.time > start }
        self = MovingTimeline(start: start, isMoving: isMoving)
        marks = later
    }
}
