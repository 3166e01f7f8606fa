/// Decides when what was read is committed, and when reading pauses so that it can be acknowledged; a pure value.
///
/// What was derived is published before its commit, so holding a commit delays no derived message, only acknowledgements. A
/// commit is due when enough has been read, when the first of it has waited long enough, or when no message has arrived for a
/// moment: then the broker may be waiting for acknowledgements, because its window is full. Where the window turns out to be small, a commit
/// is due as soon as it is full.
///
/// Messages that are read while a commit is under way belong to the next one, and acknowledgements are written only when everything
/// read is committed. With a steady stream that would be never: once half of the window is unacknowledged, or has been for too long,
/// commits follow each other without a wait, and nothing is read during one that began then.
struct CommitSchedule {
    /// A pause shorter than this is not one: messages of a burst follow each other within it.
    private static let shortestPauseSeconds = 0.01
    /// How long after acknowledgements the lane does not gather, in seconds: a broker whose window was full sends what it held back, a message
    /// for each acknowledgement.
    private static let answerSeconds = 0.025
    /// How long a message may be unacknowledged before reading pauses, in seconds. The pause lasts as long as a commit, which waits for the
    /// broker to accept what was published: beside a flood that takes tens of milliseconds, as long as a depth that comes then waits.
    static let acknowledgeSeconds = 2.0

    /// How many messages are committed together at the most.
    let messages: Int
    /// How long a message waits for its commit at the most, in seconds.
    let seconds: Double
    private let pause: Double
    private let gatherSeconds: Double
    /// How many messages may be unacknowledged before reading pauses.
    let window: Int
    /// Messages that were read and belong to no commit yet.
    private(set) var count = 0
    private var firstAt = 0.0
    private var lastAt = 0.0
    private var unacknowledged = 0
    private var unacknowledgedSince = 0.0
    private var acknowledgedAt = -Double.infinity
    /// When the last commit began.
    private var begunAt = -Double.infinity
    /// Whether the broker had sent nothing for a pause, or as much as its window holds, when the last commit began.
    private var wasQuiet = false
    private var brokerWindow = BrokerWindow()

    /// A schedule for a lane that reads nothing for `gatherSeconds` after a batch, where `gathersFrom` allows it.
    init(messages: Int, seconds: Double, gatherSeconds: Double = 0, window: Int) {
        self.messages = messages
        self.seconds = seconds
        pause = max(Self.shortestPauseSeconds, seconds / 5)
        self.gatherSeconds = gatherSeconds
        self.window = window
    }

    /// The time without messages after which a commit is due, in seconds: that in which the lane gathers is no pause of the broker's.
    var pauseSeconds: Double { pause + (lastAt < gathersFrom ? 0 : gatherSeconds) }

    /// From when on the lane may wait for more messages behind a batch.
    var gathersFrom: Double { acknowledgedAt + Self.answerSeconds }

    /// Records that `read` messages were read at `monotonic`, of which `more` are for the lane: all of them, unless others read the session too.
    /// Those that need not wait are committed at once, or with messages that already wait.
    mutating func note(_ more: Int, of read: Int? = nil, waits: Bool = true, at monotonic: Double) {
        if unacknowledged == 0 { unacknowledgedSince = monotonic }
        unacknowledged += read ?? more
        brokerWindow.received(unacknowledged: unacknowledged, at: monotonic)
        wasQuiet = false
        if more > 0 {
            noteProcessed(more, waits: waits, at: monotonic)
        } else if count > 0 {
            lastAt = monotonic
        }
    }

    /// Records that messages of those that were read before are to be committed with the next commit.
    mutating func noteProcessed(_ more: Int, waits: Bool = true, at monotonic: Double) {
        if count == 0 { (firstAt, lastAt) = (-.infinity, -.infinity) }
        count += more
        guard waits else { return }
        if firstAt == -.infinity { firstAt = monotonic }
        lastAt = monotonic
    }

    /// Whether as many messages are unacknowledged as may be: the broker soon sends no more, or none already.
    var isFull: Bool { unacknowledged >= window || unacknowledged == brokerWindow.size }

    /// When the next commit is due, on the monotonic clock; nil while nothing waits for one.
    var deadline: Double? {
        guard count > 0 else { return nil }
        if count >= messages || isFull { return lastAt }
        return min(firstAt + seconds, lastAt + pauseSeconds, unacknowledgedSince + Self.acknowledgeSeconds)
    }

    /// Whether messages may be read while the commit is under way that has begun last. One that began in time does not cover what was read
    /// since: a pause during it would only come before another.
    var mayReadAhead: Bool { unacknowledged < window && begunAt < unacknowledgedSince + Self.acknowledgeSeconds }

    /// Records that a commit of everything has begun at `monotonic`.
    mutating func begun(at monotonic: Double) {
        begunAt = monotonic
        wasQuiet = monotonic - lastAt >= pauseSeconds - pause / 2 && lastAt.isFinite
        count = 0
    }

    /// Records that everything read is acknowledged at `monotonic`.
    mutating func acknowledged(at monotonic: Double) {
        guard unacknowledged > 0 else { return }
        acknowledgedAt = monotonic
        if wasQuiet { brokerWindow.acknowledged(unacknowledged, at: monotonic) }
        unacknowledged = 0
    }

    /// Records that everything read will be delivered again: the connection has ended, or ends.
    mutating func released() {
        unacknowledged = 0
        brokerWindow.forget()
    }
}
