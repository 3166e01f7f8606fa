import GatewayPipeline
import Mosquitto

/// The topics that the broker refuses: what is kept of each, and when it is tried again; a pure value.
///
/// Of a topic, letters are published first, the oldest alone until one is accepted; then the newest state.
struct RefusedBacklog {
    /// What is refused: a topic, or messages of one that are too large.
    struct Key: Hashable {
        var topic: String
        var isOfMessage: Bool
    }

    /// What to publish of a topic that is due.
    enum Due {
        /// So many of its oldest letters.
        case letters(Int)
        /// The newest state.
        case state(MQTTMessage)
        /// Nothing is left: its messages may be published as others are.
        case nothing
    }

    private struct Entry {
        var refusal: PublishRefusal
        var detail: String
        var letters = 0
        var bytes = 0
        /// The newest state, and its number among all.
        var state: (message: MQTTMessage, number: UInt64, at: MonotonicInstant)?
        /// The size of the largest message that was refused for its size.
        var refusedBytes = Int.max
        var isRefused = true
        /// Whether an earlier run has kept a state, which comes from the stored states.
        var awaitsState = false
        var failures = 0
        var wasAccepted = false
        var retryAt: MonotonicInstant
        var underWay = 0
    }

    private enum UnderWay {
        case letter(Int64, bytes: Int)
        case state(UInt64)
    }

    private var entries: [Key: Entry] = [:]
    private var underWay: [UInt64: (key: Key, what: UnderWay)] = [:]
    private var stateBytes = 0
    /// Topics to which letters were added since `takeOverfull`.
    private var added: Set<Key> = []
    private var nextNumber: UInt64 = 1

    /// The letters in bytes of payload.
    private(set) var bytes = 0

    /// When a topic is tried next, of those with nothing under way.
    private(set) var retryAt: MonotonicInstant?

    /// The topics of which every message is kept.
    var closedTopics: [String] { entries.keys.filter { !$0.isOfMessage }.map(\.topic) }

    /// The refused topics, in order, and why.
    var refused: [(topic: String, refusal: PublishRefusal)] {
        entries.filter { $0.value.isRefused && !$0.value.awaitsState }.map { ($0.key.topic, $0.value.refusal) }
            .sorted { $0.topic < $1.topic }
    }

    /// How many letters and states are kept.
    var kept: Int { entries.values.reduce(0) { $0 + $1.letters + ($1.state == nil ? 0 : 1) } }

    /// How many letters of a topic are kept.
    func letters(of key: Key) -> Int { entries[key]?.letters ?? 0 }

    /// Why a topic is refused.
    func refusal(of key: Key) -> PublishRefusal? { entries[key]?.refusal }

    /// Whether it has none of a topic.
    func isNew(_ key: Key) -> Bool { entries[key].map { !$0.isRefused } ?? true }

    // MARK: What is kept

    /// Adds what an earlier run has stored of a topic; it is tried at once.
    mutating func restore(_ summary: OutboundLetters.Summary, at now: MonotonicInstant) {
        let key = Key(topic: summary.topic, isOfMessage: summary.isOfMessage)
        var entry = Entry(refusal: summary.refusal, detail: summary.detail, retryAt: now)
        (entry.letters, entry.bytes) = (summary.count, summary.bytes)
        bytes += summary.bytes
        entries[key] = entry
        retryAt = .earlier(retryAt, now)
    }

    /// Adds a topic of which an earlier run has kept a state; `clearing` is that state where it removes a retained message.
    mutating func restoreState(of topic: String, clearing: MQTTMessage?, at now: MonotonicInstant) {
        let key = Key(topic: topic, isOfMessage: false)
        var entry = entries[key] ?? Entry(refusal: .other, detail: "refused in an earlier run", retryAt: now)
        if let clearing {
            entry.state = (clearing, takeNumber(), now)
        } else {
            entry.awaitsState = true
        }
        entries[key] = entry
        retryAt = .earlier(retryAt, now)
    }

    /// Records that a letter is stored.
    mutating func add(_ letter: OutboundLetter, at now: MonotonicInstant) {
        let key = Key(topic: letter.message.topic, isOfMessage: letter.isOfMessage)
        note(key, letter.refusal, letter.detail, at: now)
        added.insert(key)
        entries[key]?.letters += 1
        entries[key]?.bytes += letter.message.payload.count
        bytes += letter.message.payload.count
    }

    /// Keeps a state in place of the one before.
    mutating func add(state message: MQTTMessage, _ refusal: PublishRefusal, _ detail: String, at now: MonotonicInstant) {
        let key = Key(topic: message.topic, isOfMessage: false)
        note(key, refusal, detail, at: now)
        guard var entry = entries[key] else { return }
        stateBytes += message.payload.count - (entry.state?.message.payload.count ?? 0)
        entry.state = (message, takeNumber(), now)
        entry.awaitsState = false
        // A smaller one may be accepted where the one before was too large.
        let mayBeAccepted = entry.refusal == .tooLarge && message.packetBytes < entry.refusedBytes && entry.refusedBytes < .max
        if refusal == .tooLarge { entry.refusedBytes = min(entry.refusedBytes, message.packetBytes) }
        entries[key] = entry
        if mayBeAccepted { due(key, at: now) }
    }

    private mutating func takeNumber() -> UInt64 {
        defer { nextNumber += 1 }
        return nextNumber
    }

    private mutating func note(_ key: Key, _ refusal: PublishRefusal, _ detail: String, at now: MonotonicInstant) {
        guard var entry = entries[key] else {
            var entry = Entry(refusal: refusal, detail: detail, retryAt: now)
            entry.retryAt = now + Self.pause(afterFailures: 1, refusal)
            entry.failures = 1
            entries[key] = entry
            retryAt = .earlier(retryAt, entry.retryAt)
            return
        }
        // What was handed over because the topic is refused says nothing new.
        if entry.retryAt <= now { retryAt = .earlier(retryAt, now) }
        entry.isRefused = true
        entries[key] = entry
    }

    private mutating func due(_ key: Key, at now: MonotonicInstant) {
        entries[key]?.retryAt = now
        retryAt = .earlier(retryAt, now)
    }

    /// Discards the oldest states while they take more than `limit` bytes: their topics and reasons.
    mutating func discardStates(above limit: Int) -> [(topic: String, refusal: PublishRefusal)] {
        guard stateBytes > limit else { return [] }
        // One that clears has no bytes.
        let states = entries.filter { $0.value.state?.message.payload.isEmpty == false }
            .compactMap { key, entry in entry.state.map { (key: key, number: $0.number, refusal: entry.refusal) } }
        var discarded: [(topic: String, refusal: PublishRefusal)] = []
        for state in states.sorted(by: { $0.number < $1.number }) where stateBytes > limit {
            dropState(state.key)
            discarded.append((state.key.topic, state.refusal))
        }
        return discarded
    }

    private mutating func dropState(_ key: Key) {
        stateBytes -= entries[key]?.state?.message.payload.count ?? 0
        entries[key]?.state = nil
    }

    /// The topics that have more than `limit` letters.
    mutating func takeOverfull(_ limit: Int) -> [Key] {
        defer { added.removeAll(keepingCapacity: true) }
        return added.filter { letters(of: $0) > limit }
    }

    /// Records that nothing is stored of a topic any more.
    mutating func forgetLetters(of key: Key, at now: MonotonicInstant) {
        bytes -= entries[key]?.bytes ?? 0
        entries[key]?.letters = 0
        entries[key]?.bytes = 0
        due(key, at: now)
    }

    /// Puts the number of a topic's letters right.
    mutating func correct(_ key: Key, _ count: Int, bytes: Int, at now: MonotonicInstant) {
        self.bytes += bytes - (entries[key]?.bytes ?? 0)
        entries[key]?.letters = count
        entries[key]?.bytes = bytes
        due(key, at: now)
    }

    /// Records that a letter was discarded.
    mutating func discarded(_ key: Key, bytes: Int) {
        guard let count = entries[key]?.letters, count > 0 else { return }
        entries[key]?.letters = count - 1
        entries[key]?.bytes -= bytes
        self.bytes -= bytes
    }

    /// Forgets what is kept on topics that begin with `prefix`, but for states that clear.
    mutating func forget(prefix: String) {
        for (key, entry) in entries where key.topic.hasPrefix(prefix) {
            bytes -= entry.bytes
            entries[key]?.letters = 0
            entries[key]?.bytes = 0
            if entry.state?.message.payload.isEmpty == false { dropState(key) }
        }
    }

    // MARK: Publishing again

    /// What is due of each topic that has nothing under way.
    mutating func takeDue(at now: MonotonicInstant) -> [(key: Key, due: Due)] {
        guard let retryAt, retryAt <= now else { return [] }
        self.retryAt = nil
        var taken: [(key: Key, due: Due)] = []
        for (key, entry) in entries where entry.underWay == 0 {
            guard entry.retryAt <= now else {
                self.retryAt = .earlier(self.retryAt, entry.retryAt)
                continue
            }
            if entry.letters > 0 {
                taken.append((key, .letters(entry.wasAccepted ? Self.group : 1)))
            } else if let state = entry.state {
                if let message = state.message.expiring(after: now - state.at) {
                    taken.append((key, .state(message)))
                } else {
                    dropState(key)
                    due(key, at: now)
                }
            } else if !entry.awaitsState {
                taken.append((key, .nothing))
            }
        }
        return taken
    }

    /// Whether a topic's messages have to be sent alone.
    func isSuspect(_ key: Key) -> Bool { entries[key]?.refusal == .connectionClosed }

    /// A letter is published again: the number of its answer.
    mutating func published(_ letter: OutboundLetter, of key: Key) -> UInt64 {
        begin(key, .letter(letter.number, bytes: letter.message.payload.count))
    }

    /// The state is published again: the number of its answer.
    mutating func publishedState(of key: Key) -> UInt64? {
        entries[key]?.state.map { state in state.number }.map { begin(key, .state($0)) }
    }

    private mutating func begin(_ key: Key, _ what: UnderWay) -> UInt64 {
        let number = takeNumber()
        underWay[number] = (key, what)
        entries[key]?.underWay += 1
        return number
    }

    /// The broker has accepted or refused what was published under `number`; returns the letter that is not needed any more.
    mutating func answered(_ number: UInt64, _ error: MosquittoError?, at now: MonotonicInstant) -> Int64? {
        guard let (key, what) = underWay.removeValue(forKey: number), let before = entries[key] else { return nil }
        entries[key]?.underWay -= 1
        if let error {
            let refusal = PublishRefusal(error)
            entries[key]?.refusal = refusal
            entries[key]?.detail = "\(error)"
            entries[key]?.isRefused = true
            entries[key]?.wasAccepted = false
            // Of a group that was refused the first counts.
            if before.retryAt <= now || before.wasAccepted {
                entries[key]?.failures = before.failures + 1
                entries[key]?.retryAt = now + Self.pause(afterFailures: before.failures + 1, refusal)
            }
            retryAt = .earlier(retryAt, entries[key]?.retryAt)
            return nil
        }
        entries[key]?.wasAccepted = true
        entries[key]?.failures = 0
        due(key, at: now)
        switch what {
        case .letter(let letter, let bytes):
            discarded(key, bytes: bytes)
            return letter
        case .state(let state):
            if before.state?.number == state { dropState(key) }
            return nil
        }
    }

    /// Nothing of a topic is kept any more.
    mutating func remove(_ key: Key) { entries[key] = nil }

    /// Looks at everything that is due again at `instant`.
    mutating func postpone(until instant: MonotonicInstant) { retryAt = .earlier(retryAt, instant) }

    /// Looks at a topic again a moment later: a message of it is on its way here.
    mutating func postpone(_ key: Key, at now: MonotonicInstant) {
        entries[key]?.retryAt = now + Self.moment
        retryAt = .earlier(retryAt, now + Self.moment)
    }

    /// The pause after so many failures: half a second that doubles up to 8 s, so that what a broker refuses is published within 10 s after
    /// it is allowed. Where it closes the connection, which interrupts everything, the pause is a quarter of a minute up to an hour.
    static func pause(afterFailures failures: Int, _ refusal: PublishRefusal) -> Duration {
        let doubled = Double(1 << min(max(failures, 1) - 1, 12))
        return refusal == .connectionClosed
            ? .seconds(min(15 * doubled, 3_600)) : .seconds(min(0.5 * doubled, 8))
    }

    /// How many letters of a topic are published together once one was accepted.
    private static let group = 20
    private static let moment = Duration.milliseconds(100)
}

extension MQTTMessage {
    /// The message after it was kept for `duration`; nil when it has expired.
    fileprivate func expiring(after duration: Duration) -> MQTTMessage? {
        guard let expiry = messageExpirySeconds else { return self }
        let left = Double(expiry) - duration / .seconds(1)
        guard left > 0 else { return nil }
        var message = self
        message.messageExpirySeconds = UInt32(max(1, left.rounded(.up)))
        return message
    }
}
