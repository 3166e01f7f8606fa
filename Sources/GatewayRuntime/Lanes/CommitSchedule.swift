/// Decides when what was read is committed; a pure value.
///
/// What was derived is published before its commit, so holding a commit delays no derived message, only acknowledgements. A commit is
/// due when enough has been read, when the first of it has waited long enough, or when nothing more has come for a moment: then
/// the broker may be waiting for acknowledgements, because its window is full.
struct CommitSchedule {
    /// How long nothing has come when a commit is due, in seconds.
    static let pauseSeconds = 0.01

    /// How many messages are committed together at the most.
    let messages: Int
    /// How long a message waits for its commit at the most, in seconds.
    let seconds: Double
    /// Messages that were read and belong to no commit yet.
    private(set) var count = 0
    private var firstAt = 0.0
    private var lastAt = 0.0

    init(messages: Int, seconds: Double) {
        self.messages = messages
        self.seconds = seconds
    }

    /// Notes that messages were read at `monotonic`; those that need not wait are committed at once, or with what waits already.
    mutating func note(_ more: Int, waits: Bool = true, at monotonic: Double) {
        if count == 0 { (firstAt, lastAt) = (-.infinity, -.infinity) }
        count += more
        guard waits else { return }
        if firstAt == -.infinity { firstAt = monotonic }
        lastAt = monotonic
    }

    /// When the commit is due, on the monotonic clock; nil while nothing waits for one.
    var deadline: Double? {
        guard count > 0 else { return nil }
        return count >= messages ? lastAt : min(firstAt + seconds, lastAt + Self.pauseSeconds)
    }

    /// Notes that a commit of everything has begun.
    mutating func begun() { count = 0 }
}
