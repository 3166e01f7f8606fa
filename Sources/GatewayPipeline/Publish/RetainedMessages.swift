package import TelemetryModel

/// The latest message of every kind: the retained ones are kept so that they can be published again to a broker that has lost them, and
/// all of them for requests.
package struct RetainedMessages: Sendable, Equatable {
    private var values: [String: RetainedValue] = [:]
    /// The kinds whose messages differ from what was written last, or were removed. A few at a time, so it is no set.
    private var changed: [String] = []
    /// Whether any message may have been read early.
    private(set) var mayHoldEarly = false
    /// The kinds of which the latest message is not published yet.
    private(set) var heldKinds: [String] = []

    /// Compares the messages alone.
    package static func == (left: Self, right: Self) -> Bool { left.values == right.values }

    /// The message of `kind`; nil where none is retained.
    package subscript(kind kind: String) -> RetainedValue? {
        get { values[kind] }
        set {
            if newValue?.early != nil { mayHoldEarly = true }
            noteHeld(newValue?.held != nil, kind)
            values[kind] = newValue
            if !changed.contains(kind) { changed.append(kind) }
        }
    }

    /// The kinds, in their order.
    package var kinds: [String] { values.keys.sorted() }

    /// Counts every message as changed.
    mutating func markChanged() {
        for kind in values.keys where !changed.contains(kind) { changed.append(kind) }
    }

    /// Counts every message as written; returns the kinds that had changed, in their order.
    mutating func takeChanges() -> [String] {
        guard !changed.isEmpty else { return [] }
        return exchange(&changed, with: []).sorted()
    }

    private mutating func noteHeld(_ isHeld: Bool, _ kind: String) {
        guard isHeld || !heldKinds.isEmpty else { return }
        heldKinds.removeAll { $0 == kind }
        if isHeld { heldKinds.append(kind) }
    }

    mutating func restore(_ value: RetainedValue, of kind: String) {
        if value.early != nil { mayHoldEarly = true }
        noteHeld(value.held != nil, kind)
        values[kind] = value
    }
}

/// The latest message of a kind.
package struct RetainedValue: Sendable, Equatable, StoredPart {
    /// The version of its layout.
    package static let version = 1

    /// The message's payload.
    package var payload: [UInt8]
    /// Until when the message is valid, on the wall clock; nil for always.
    package var validUntil: UnixTime?
    /// The frame that it was read from early; nil where it was published in order.
    var early: EarlyFrame?
    /// What is needed to publish it later; nil once it is published.
    var held: HeldMessage?

    /// A value with a copy of a payload, without the room to grow that it was written with: each device keeps several.
    init(copying payload: [UInt8], validUntil: UnixTime?) {
        unsafe self.payload = payload.withUnsafeBufferPointer { unsafe Array($0) }
        self.validUntil = validUntil
    }
}

/// What of a state is not in its payload's text, while it waits to be published.
struct HeldMessage: Sendable, Equatable, Codable {
    /// The instant of the event.
    var at: UnixTime
    /// The message's `id`.
    var id: String
    /// Whether the message is kept for the query `events`.
    var isKept: Bool
}

/// A frame whose depth was published before the frames before it had come.
struct EarlyFrame: Sendable, Equatable, Codable {
    /// Its boot.
    var boot: BootID
    /// Its `seq`.
    var sequence: UInt64
    /// The state that was published.
    var state: DepthState
    /// Whether that was published as a fault.
    var isFault: Bool
    /// Whether `unknown` was published since, for a reason outside the data; nil for no.
    var isWithdrawn: Bool?

    /// Whether it comes behind the frames of `source`, or there is none.
    func isBehind(_ source: DerivedMessage.Source?) -> Bool {
        guard let source else { return true }
        guard source.boot == boot, let last = source.sequence?.upperBound else { return false }
        return last < sequence
    }

    /// This early frame, ending only with the frame of `other` where that is a later one.
    func behind(_ other: EarlyFrame?) -> EarlyFrame {
        var early = self
        if let other, other.boot == boot { early.sequence = max(sequence, other.sequence) }
        return early
    }
}

/// A derived message that is kept for the query `events`.
package struct StoredEvent: Sendable, Equatable {
    /// The kind: the path after `out/`.
    package var kind: String
    /// The instant of the event.
    package var at: UnixTime
    /// The message's id: a message that is derived again replaces itself.
    package var id: String
    /// The payload.
    package var payload: [UInt8]

    /// A message; its instant is kept to the microsecond, as it is published.
    package init(kind: String, at: UnixTime, id: String, payload: [UInt8]) {
        self.kind = kind
        self.at = UnixTime((at.seconds * 1e6).rounded() / 1e6)
        self.id = id
        self.payload = payload
    }

    /// A message that is published.
    init(_ derived: DerivedMessage, payload: [UInt8]) {
        self.init(kind: derived.event.body.path, at: derived.at, id: derived.id, payload: payload)
    }
}

/// A limit of so many at once, and of one in each interval from then on: the generic cell rate algorithm (ITU-T I.371).
///
/// Its state is one instant on the gateway's monotonic clock: when what was counted so far would all have come at the even pace.
struct EvenPace {
    /// How often one kind of a device is published that streams without a budget lead to. A device is never refused on these streams. A backlog
    /// of a dive of five hours leads to 9,000 states, as a state is published again each two seconds.
    static let messages = EvenPace(interval: 0.1, burst: 10_000)
    /// How often a device begins a boot before its messages are published no faster than ten a second of each kind. A backlog has fewer.
    static let boots = EvenPace(interval: 1, burst: 100)

    /// The time for one, in seconds.
    let interval: Double
    /// How many at once.
    let burst: Int

    /// How much of the interval differences of instants may be wrong by.
    private static let rounding = 1e-6

    private var longest: Double { Double(burst) * interval }

    /// How far an instant is ahead. One that is further ahead than any that was counted is of another clock.
    private func ahead(_ instant: Double?, at now: Double) -> Double {
        guard let instant, instant - now <= longest + Self.rounding * interval else { return 0 }
        return max(0, instant - now)
    }

    /// Whether one more has to wait at `now`.
    func isExhausted(_ instant: Double?, at now: Double) -> Bool {
        ahead(instant, at: now) > longest - interval + Self.rounding * interval
    }

    /// The state after one more at `now`; nil where it has to wait.
    func next(after instant: Double?, at now: Double) -> Double? {
        isExhausted(instant, at: now) ? nil : now + ahead(instant, at: now) + interval
    }

    /// The state in which the next has to wait for an interval from `now` on.
    func exhausted(at now: Double) -> Double { now + longest }

    /// The state in which at most one more may come at `now`.
    func leavingOne(of instant: Double?, at now: Double) -> Double { now + max(ahead(instant, at: now), longest - interval) }

    /// When one more may come.
    func due(after instant: Double) -> Double { instant - longest + interval }
}

/// Limits published rejections for each reason, and counts the ones between.
package struct RejectionLimiter: Sendable, Equatable {
    private struct Entry: Sendable, Equatable {
        /// The state of the `EvenPace` of those that were published.
        var paced: Double
        var suppressed = 0
    }

    private var entries: [RejectionReason: Entry] = [:]

    /// No rejection yet.
    package init() {}

    /// Counts `count` rejections at `monotonic` seconds, of which `burst` may be published at once; returns how many there were since the last one
    /// published, these included, or nil when this one is not to be published.
    package mutating func admit(
        _ reason: RejectionReason, count: Int = 1, at monotonic: Double, perSecond: Double, burst: Int = 1
    ) -> Int? {
        let entry = entries[reason]
        let sum = (entry?.suppressed ?? 0).addingSaturated(count)
        guard let next = EvenPace(interval: 1 / perSecond, burst: burst).next(after: entry?.paced, at: monotonic) else {
            entries[reason]?.suppressed = sum
            return nil
        }
        entries[reason] = Entry(paced: next)
        return sum
    }
}
