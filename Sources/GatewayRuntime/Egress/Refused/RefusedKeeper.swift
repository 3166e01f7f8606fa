import GatewayConfiguration
import GatewayPipeline
import Logging
import Mosquitto
import Synchronization
import TelemetryModel

/// Keeps what the broker refuses, and publishes it once the broker accepts it: events as dead letters on disk, of each state the newest.
///
/// A topic that is refused holds up nothing else. Its messages are settled once they are stored here, so the frames that they were derived
/// from can be committed and acknowledged. It has a thread of its own, as it writes to disk.
final class RefusedKeeper: Sendable {
    /// How much is kept.
    struct Limits {
        /// The letters in bytes of payload, and on one topic.
        var letterBytes: Int
        var lettersOfTopic: Int
        /// The states in bytes of payload.
        var stateBytes = 16_000_000

        /// On disk.
        static let stored = Limits(letterBytes: 64_000_000, lettersOfTopic: 10_000)
        /// Without a state directory.
        static let inMemory = Limits(letterBytes: 8_000_000, lettersOfTopic: 1_000)
    }

    /// Why kept messages were discarded.
    private struct Discard: Hashable {
        var refusal: PublishRefusal
        var detail: String
    }

    private struct Contents {
        var backlog = RefusedBacklog()
        /// Messages that could not be stored yet; nothing that follows them is stored before.
        var pending: [RefusedMessage] = []
        /// Letters that the broker has accepted, and that could not be removed yet.
        var finished: [Int64] = []
        var storeAgainAt: MonotonicInstant?
        var storeProblem: String?
        var limiter = RejectionLimiter()
        var warning: String?
        var lines = (second: -Double.infinity, count: 0)
        /// Topics of which it is stored that they have a state, and whether it is one that clears.
        var states: [String: Bool] = [:]
        /// What was discarded and is not reported yet: the topic of the first, and how many.
        var discarded: [Discard: (topic: String, count: Int)] = [:]
    }

    private let client: MosquittoClient
    private let permit: Permit
    private let store: OutboundLetters
    private let limits: Limits
    private let gateway: Identifier
    private let encoder: OutboundEncoder
    private let access: OutboundAccess
    /// How often the broker may refuse a topic before what is published on it is kept, so that the frames it was derived from can be
    /// acknowledged: with pauses that double, a third of a second.
    private static let attempts = 5
    private let rejectedPerSecond: Double
    private let clock: any GatewayClock
    private let logger: Logger
    private let wakeUp = WakeUp()
    private let isEnded = Atomic(false)
    /// The path of the state directory; nil for none.
    private let folder: String?
    private let contents: Mutex<Contents>
    private let published = Mutex(RefusedFigures())
    private let changes: AsyncStream<String?>.Continuation

    /// Beats while the thread turns.
    let pulse = ThreadPulse()
    /// What a person should know of refused topics, after each change; nil while none is refused.
    let warnings: AsyncStream<String?>
    /// Whether an earlier run has kept states, which have to be made again from the stored states.
    let owesStates: Bool

    /// A keeper for `client`, with what earlier runs have stored in `directory`; nil for memory. Throws when that cannot be read.
    init(
        _ configuration: GatewayConfiguration, _ settings: PipelineSettings, client: MosquittoClient, permit: Permit,
        directory: StateDirectory?, limits: Limits? = nil, clock: any GatewayClock, logger: Logger
    ) throws(GatewayError) {
        self.client = client
        self.permit = permit
        self.limits = limits ?? (directory == nil ? .inMemory : .stored)
        gateway = settings.gateway
        encoder = OutboundEncoder(settings)
        access = OutboundAccess(configuration: configuration)
        rejectedPerSecond = settings.rejectedPerSecond
        self.clock = clock
        self.logger = logger
        folder = directory?.path
        (warnings, changes) = AsyncStream.makeStream(of: String?.self, bufferingPolicy: .bufferingNewest(1))
        var contents = Contents()
        do {
            store = try directory?.outboundLetters() ?? OutboundLetters(path: nil)
            let now = MonotonicInstant.now
            for summary in try store.summaries() { contents.backlog.restore(summary, at: now) }
            contents.states = try store.states()
            for (topic, isClearing) in contents.states {
                var clearing = MQTTMessage(topic: topic, payload: [], retain: true)
                clearing.isState = true
                contents.backlog.restoreState(of: topic, clearing: isClearing ? clearing : nil, at: now)
            }
        } catch {
            throw GatewayError("the outbound dead letters: \(error)")
        }
        owesStates = contents.states.values.contains(false) || store.isIncomplete
        for topic in contents.backlog.closedTopics {
            client.close(topic, because: MosquittoError(origin: .client, reason: "refused in an earlier run"))
        }
        self.contents = Mutex(contents)
        guard store.removed > 0 else { return }
        published.withLock { $0.discarded[.other] = store.removed }
        logger.error("damaged outbound dead letters are removed", metadata: ["count": "\(store.removed)"])
    }

    /// What is kept.
    var figures: RefusedFigures { published.withLock { $0 } }

    /// Starts the thread, which lasts until `end`.
    func start() throws(MosquittoError) {
        client.keepRefused(after: Self.attempts, waking: wakeUp)
        try NamedThread.start(name: "keep-refused") { [self] in work() }
    }

    /// Ends the thread. Where the devices were handed over, it is logged what is left for the export.
    func end() {
        isEnded.store(true, ordering: .releasing)
        wakeUp.signal()
        guard let folder, TextFile.stamp("\(folder)/handedover") != nil, let count = try? store.count(), count > 0 else { return }
        logger.warning(
            "messages that the broker refuses are kept: 'fathom state export' takes those of devices along",
            metadata: ["messages": "\(count)"])
    }

    /// Removes what is kept on topics that begin with `prefix`, but for messages that clear retained ones: returns their topics. Blocks.
    func erase(prefix: String) throws -> [String] {
        try contents.withLock { contents in
            try store.remove(withPrefix: prefix)
            contents.backlog.forget(prefix: prefix)
            for left in try store.summaries() where left.topic.hasPrefix(prefix) {
                let key = RefusedBacklog.Key(topic: left.topic, isOfMessage: left.isOfMessage)
                contents.backlog.correct(key, left.count, bytes: left.bytes, at: .now)
            }
            report(&contents)
            return try store.clearing(prefix: prefix)
        }
    }

    /// The topics that begin with `prefix` on which the broker does not let a retained message be cleared. Blocks.
    func clearing(prefix: String) throws -> [String] { try store.clearing(prefix: prefix) }

    private func work() {
        defer {
            pulse.pause()
            changes.finish()
        }
        while !isEnded.load(ordering: .acquiring) {
            pulse.beat()
            let due = contents.withLock { contents in
                step(&contents)
                // While nothing can be stored, what is due stays due.
                return contents.storeAgainAt ?? contents.backlog.retryAt
            }
            wakeUp.wait(atMost: min(ThreadPulse.interval, max(.zero, due.map { $0 - .now } ?? ThreadPulse.interval)))
        }
    }

    private func step(_ contents: inout Contents) {
        let now = MonotonicInstant.now
        let taken = client.takeRefused()
        contents.pending += taken.messages
        for answer in taken.answers {
            if let letter = contents.backlog.answered(answer.number, answer.error, at: now) { contents.finished.append(letter) }
        }
        do {
            try store.remove(contents.finished)
            contents.finished = []
            try keep(&contents, at: now)
            try makeRoom(&contents)
            try publishDue(&contents, at: now)
            (contents.storeProblem, contents.storeAgainAt) = (nil, nil)
        } catch {
            if contents.storeProblem == nil {
                logger.error("what the broker refuses cannot be stored, frames wait", metadata: ["reason": "\(error)"])
            }
            (contents.storeProblem, contents.storeAgainAt) = ("\(error)", now + .seconds(1))
            contents.backlog.postpone(until: now + .seconds(1))
        }
        reportDiscarded(&contents)
        report(&contents)
    }

    // MARK: Keeping

    /// Stores what was handed over, and then lets it hold up nothing.
    private func keep(_ contents: inout Contents, at now: MonotonicInstant) throws {
        guard !contents.pending.isEmpty else { return }
        let at = clock.now.unix.seconds
        let letters = contents.pending.filter { !$0.message.isState }.map { OutboundLetter($0, at: at) }
        var states: [String: Bool] = [:]
        for refused in contents.pending where refused.message.isState && !refused.message.topic.hasPrefix("fathom/") {
            states[refused.message.topic] = refused.message.payload.isEmpty
        }
        let changed = states.filter { contents.states[$0.key] != $0.value }
        try store.add(letters, states: changed)
        contents.states.merge(changed) { $1 }
        noteRefused(&contents)
        var counts: [PublishRefusal: Int] = [:]
        for refused in contents.pending {
            let refusal = PublishRefusal(refused)
            counts[refusal, default: 0] += 1
            if refused.message.isState {
                contents.backlog.add(state: refused.message, refusal, "\(refused.error)", at: now)
            }
        }
        for letter in letters { contents.backlog.add(letter, at: now) }
        published.withLock { $0.refused.merge(counts) { $0.addingSaturated($1) } }
        client.kept(contents.pending)
        contents.pending = []
    }

    /// Reports the topics that were not refused before.
    private func noteRefused(_ contents: inout Contents) {
        var noted: Set<RefusedBacklog.Key> = []
        for refused in contents.pending {
            let key = RefusedBacklog.Key(topic: refused.message.topic, isOfMessage: refused.scope == .ofMessage)
            if contents.backlog.isNew(key), noted.insert(key).inserted { note(refused, &contents) }
        }
    }

    private func note(_ refused: RefusedMessage, _ contents: inout Contents) {
        let refusal = PublishRefusal(refused)
        let advice = access.advice(for: refused.message.topic, refusal)
        if takesLine(&contents) {
            logger.error(
                "the broker refuses a topic: its messages are kept, and published once it accepts them",
                metadata: [
                    "topic": "\(refused.message.topic)", "account": "\(access.account)", "reason": "\(refused.error)",
                    "bytes": "\(refused.message.payload.count)", "advice": "\(advice)",
                ])
        }
        publishReport(refusal, .publishRefused, "\(refused.error); \(advice)", of: refused.message.topic, &contents)
    }

    private func takesLine(_ contents: inout Contents) -> Bool {
        let now = clock.now.monotonic
        if now - contents.lines.second >= 1 { contents.lines = (now, 0) }
        contents.lines.count += 1
        return contents.lines.count <= Self.linesPerSecond
    }

    private static let linesPerSecond = 10

    /// Discards the oldest of a topic that has too many, and of all where they take too much room.
    private func makeRoom(_ contents: inout Contents) throws {
        for key in contents.backlog.takeOverfull(limits.lettersOfTopic) {
            let excess = contents.backlog.letters(of: key) - limits.lettersOfTopic
            try discard(store.oldest(excess, of: key.topic), Self.noRoom, &contents)
        }
        while contents.backlog.bytes > limits.letterBytes {
            let oldest = try store.oldest(Self.discardedTogether)
            guard !oldest.isEmpty else { break }
            var excess = contents.backlog.bytes - limits.letterBytes
            try discard(
                oldest.prefix { letter in
                    defer { excess -= letter.bytes }
                    return excess > 0
                }, Self.noRoom, &contents)
        }
        for (topic, refusal) in contents.backlog.discardStates(above: limits.stateBytes) {
            count(Discard(refusal: refusal, detail: Self.noRoom), topic, &contents)
        }
    }

    private static let discardedTogether = 100
    private static let noRoom = "the oldest is discarded to make room"
    private static let damaged = "it is damaged on disk"

    private func discard(
        _ letters: some Collection<(number: Int64, topic: String, isOfMessage: Bool, bytes: Int)>, _ detail: String,
        _ contents: inout Contents
    ) throws {
        try store.remove(letters.map(\.number))
        for letter in letters {
            let key = RefusedBacklog.Key(topic: letter.topic, isOfMessage: letter.isOfMessage)
            let refusal = contents.backlog.refusal(of: key) ?? .other
            contents.backlog.discarded(key, bytes: letter.bytes)
            count(Discard(refusal: refusal, detail: detail), letter.topic, &contents)
        }
    }

    private func count(_ discard: Discard, _ topic: String, _ contents: inout Contents) {
        published.withLock { $0.discarded[discard.refusal, default: 0].addSaturated(1) }
        contents.discarded[discard, default: (topic, 0)].count += 1
    }

    /// Logs and reports what was discarded, together by reason.
    private func reportDiscarded(_ contents: inout Contents) {
        for (discard, (topic, count)) in contents.discarded {
            let (refusal, detail) = (discard.refusal, discard.detail)
            guard publishReport(refusal, .publishDiscarded, detail, count: count, of: topic, &contents) else { continue }
            contents.discarded[discard] = nil
            logger.error(
                "messages that the broker refuses are discarded",
                metadata: ["reason": "\(detail)", "topic": "\(topic)", "count": "\(count)"])
        }
    }

    /// At most one a second for each reason, false where that is not over yet; dropped where the broker refuses it too. `count` is how many
    /// messages it is about; without it, those since the last report.
    @discardableResult
    private func publishReport(
        _ refusal: PublishRefusal, _ reason: RejectionReason, _ detail: String, count: Int? = nil, of topic: String,
        _ contents: inout Contents
    ) -> Bool {
        let now = clock.now
        guard topic != OutboundEncoder.rejectedTopic(of: gateway) else { return true }
        guard let admitted = contents.limiter.admit(reason, at: now.monotonic, perSecond: rejectedPerSecond) else { return false }
        var message = MQTTMessage(
            encoder.encode(
                refusal, reason, detail: detail, topic: topic, gateway: gateway, count: count ?? admitted, at: now.unix),
            epoch: permit.epoch)
        message.isExpendable = true
        client.enqueue([message], priority: .high)
        return true
    }

    // MARK: Publishing again

    private func publishDue(_ contents: inout Contents, at now: MonotonicInstant) throws {
        for (key, due) in contents.backlog.takeDue(at: now) {
            switch due {
            case .letters(let count):
                let stored: [OutboundLetters.StoredLetter]
                do {
                    stored = try store.first(count, of: key.topic, isOfMessage: key.isOfMessage)
                    let damaged = stored.filter { $0.letter == nil }
                        .map { (number: $0.number, topic: key.topic, isOfMessage: key.isOfMessage, bytes: $0.bytes) }
                    if !damaged.isEmpty { try discard(damaged, Self.damaged, &contents) }
                } catch {
                    contents.backlog.postpone(key, at: now)
                    throw error
                }
                let letters = stored.compactMap(\.letter)
                if stored.isEmpty {
                    contents.backlog.forgetLetters(of: key, at: now)
                } else if letters.isEmpty {
                    contents.backlog.postpone(key, at: now)
                }
                for letter in letters { publish(letter.message, contents.backlog.published(letter, of: key), key, contents) }
            case .state(let message):
                if let number = contents.backlog.publishedState(of: key) { publish(message, number, key, contents) }
            case .nothing:
                // The count is wrong where one was discarded while it was on its way.
                let left = try store.size(of: key.topic, isOfMessage: key.isOfMessage)
                if left.count > 0 {
                    contents.backlog.correct(key, left.count, bytes: left.bytes, at: now)
                    continue
                }
                // Before the topic is open: after a restart the row would clear what is published from then on.
                if !key.isOfMessage, contents.states[key.topic] != nil {
                    try store.removeState(key.topic)
                    contents.states[key.topic] = nil
                }
                guard key.isOfMessage || contents.pending.isEmpty && client.reopen(key.topic) else {
                    contents.backlog.postpone(key, at: now)
                    continue
                }
                contents.backlog.remove(key)
                logger.notice("the broker accepts a topic again", metadata: ["topic": "\(key.topic)"])
            }
        }
    }

    private func publish(_ message: MQTTMessage, _ number: UInt64, _ key: RefusedBacklog.Key, _ contents: borrowing Contents) {
        var message = message.with(epoch: permit.epoch)
        message.answerNumber = number
        message.isAlone = contents.backlog.isSuspect(key)
        client.enqueue([message], priority: .again)
    }

    // MARK: Reports

    private func report(_ contents: inout Contents) {
        let refused = contents.backlog.refused
        let kept = contents.backlog.kept
        published.withLock { figures in
            (figures.topics, figures.first, figures.kept) = (refused.count, refused.prefix(Self.shown).map(\.topic), kept)
        }
        let warning = warning(refused, contents.storeProblem)
        guard warning != contents.warning else { return }
        contents.warning = warning
        changes.yield(warning)
    }

    private func warning(_ refused: [(topic: String, refusal: PublishRefusal)], _ storeProblem: String?) -> String? {
        if let storeProblem { return "what the broker refuses cannot be stored, and frames wait for it: \(storeProblem)" }
        guard let first = refused.first else { return nil }
        let others = refused.count == 1 ? "" : " and \(refused.count - 1) others"
        return
            "the broker refuses \(first.topic)\(others) (\(first.refusal.rawValue)): \(access.advice(for: first.topic, first.refusal)); "
            + "what is published there is kept until the broker accepts it"
    }

    /// How many topics are named in the status.
    private static let shown = 5
}
