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

    private struct Contents {
        var backlog = RefusedBacklog()
        /// Messages that could not be stored yet; nothing that follows them is stored before.
        var pending: [RefusedMessage] = []
        var storeAgainAt: MonotonicInstant?
        var storeProblem: String?
        var limiter = RejectionLimiter()
        var warning: String?
        var lines = (second: -Double.infinity, count: 0)
        /// Topics of which it is stored that they have a state, and whether it is one that clears.
        var states: [String: Bool] = [:]
    }

    private let client: MosquittoClient
    private let permit: Permit
    private let store: OutboundLetters
    private let limits: Limits
    private let gateway: Identifier
    private let encoder: OutboundEncoder
    private let access: OutboundAccess
    private let attempts: Int
    private let rejectedPerSecond: Double
    private let clock: any GatewayClock
    private let logger: Logger
    private let wakeUp = WakeUp()
    private let isEnded = Atomic(false)
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
        directory: StateDirectory?, clock: any GatewayClock, logger: Logger
    ) throws(GatewayError) {
        self.client = client
        self.permit = permit
        limits = directory == nil ? .inMemory : .stored
        gateway = settings.gateway
        encoder = OutboundEncoder(settings)
        access = OutboundAccess(configuration: configuration)
        attempts = configuration.mqtt.refusedAttempts
        rejectedPerSecond = settings.rejectedPerSecond
        self.clock = clock
        self.logger = logger
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
        owesStates = contents.states.values.contains(false)
        for topic in contents.backlog.closedTopics {
            client.close(topic, because: MosquittoError(origin: .client, reason: "refused in an earlier run"))
        }
        self.contents = Mutex(contents)
    }

    /// What is kept.
    var figures: RefusedFigures { published.withLock { $0 } }

    /// Starts the thread, which lasts until `end`.
    func start() throws(MosquittoError) {
        client.keepRefused(after: attempts, waking: wakeUp)
        try NamedThread.start(name: "keep-refused") { [self] in work() }
    }

    /// Ends the thread.
    func end() {
        isEnded.store(true, ordering: .releasing)
        wakeUp.signal()
    }

    /// Removes what is kept on topics that begin with `prefix`, but for messages that clear retained ones. Blocks.
    func erase(prefix: String) throws {
        try contents.withLock { contents in
            try store.remove(withPrefix: prefix)
            contents.backlog.forget(prefix: prefix)
            report(&contents)
        }
    }

    private func work() {
        defer {
            pulse.pause()
            changes.finish()
        }
        while !isEnded.load(ordering: .acquiring) {
            pulse.beat()
            let due = contents.withLock { contents in
                step(&contents)
                return MonotonicInstant.earlier(contents.backlog.retryAt, contents.storeAgainAt)
            }
            wakeUp.wait(atMost: min(ThreadPulse.interval, max(.zero, due.map { $0 - .now } ?? ThreadPulse.interval)))
        }
    }

    private func step(_ contents: inout Contents) {
        let now = MonotonicInstant.now
        let taken = client.takeRefused()
        contents.pending += taken.messages
        var finished: [Int64] = []
        for answer in taken.answers {
            if let letter = contents.backlog.answered(answer.number, answer.error, at: now) { finished.append(letter) }
        }
        do {
            try store.remove(finished)
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
                contents.backlog.add(state: refused.message.withoutEpoch, refusal, "\(refused.error)", at: now)
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
                    "topic": "\(refused.message.topic.escaped)", "account": "\(access.account)", "reason": "\(refused.error)",
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
            try discard(store.oldest(excess, of: key.topic), &contents)
        }
        while contents.backlog.bytes > limits.letterBytes {
            let oldest = try store.oldest(Self.discardedTogether)
            guard !oldest.isEmpty else { break }
            var excess = contents.backlog.bytes - limits.letterBytes
            try discard(
                oldest.prefix { letter in
                    defer { excess -= letter.bytes }
                    return excess > 0
                }, &contents)
        }
        for (topic, refusal) in contents.backlog.discardStates(above: limits.stateBytes) {
            count(refusal, topic, &contents)
        }
    }

    private static let discardedTogether = 100

    private func discard(
        _ letters: some Collection<(number: Int64, topic: String, isOfMessage: Bool, bytes: Int)>, _ contents: inout Contents
    ) throws {
        try store.remove(letters.map(\.number))
        for letter in letters {
            let key = RefusedBacklog.Key(topic: letter.topic, isOfMessage: letter.isOfMessage)
            let refusal = contents.backlog.refusal(of: key) ?? .other
            contents.backlog.discarded(key, bytes: letter.bytes)
            count(refusal, letter.topic, &contents)
        }
    }

    private func count(_ refusal: PublishRefusal, _ topic: String, _ contents: inout Contents) {
        published.withLock { $0.discarded[refusal, default: 0].addSaturated(1) }
        if takesLine(&contents) {
            logger.error("a message that the broker refused is discarded to make room", metadata: ["topic": "\(topic.escaped)"])
        }
        publishReport(refusal, .publishDiscarded, "the oldest is discarded to make room", of: topic, &contents)
    }

    /// At most one a second for each reason; dropped where the broker refuses it too.
    private func publishReport(
        _ refusal: PublishRefusal, _ reason: RejectionReason, _ detail: String, of topic: String, _ contents: inout Contents
    ) {
        let now = clock.now
        guard topic != OutboundEncoder.rejectedTopic(of: gateway),
            let count = contents.limiter.admit(reason, at: now.monotonic, perSecond: rejectedPerSecond)
        else { return }
        var message = MQTTMessage(
            encoder.encode(refusal, reason, detail: detail, topic: topic, gateway: gateway, count: count, at: now.unix),
            epoch: permit.epoch)
        message.isExpendable = true
        // Not with those of discovery, which looks at the last expendable message of its priority.
        client.enqueue([message], priority: .high)
    }

    // MARK: Publishing again

    private func publishDue(_ contents: inout Contents, at now: MonotonicInstant) throws {
        for (key, due) in contents.backlog.takeDue(at: now) {
            switch due {
            case .letters(let count):
                let letters: [OutboundLetter]
                do { letters = try store.first(count, of: key.topic, isOfMessage: key.isOfMessage) } catch {
                    contents.backlog.postpone(key, at: now)
                    throw error
                }
                if letters.isEmpty { contents.backlog.forgetLetters(of: key, at: now) }
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
                guard key.isOfMessage || contents.pending.isEmpty && client.reopen(key.topic) else {
                    contents.backlog.postpone(key, at: now)
                    continue
                }
                contents.backlog.remove(key)
                logger.notice("the broker accepts a topic again", metadata: ["topic": "\(key.topic.escaped)"])
                if !key.isOfMessage, contents.states.removeValue(forKey: key.topic) != nil { try store.removeState(key.topic) }
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
