/// Finds out what a broker does with retained messages, sessions and unacknowledged messages; a pure state machine.
///
/// It wants one connection after the other: `visit` is the one that is wanted now, and the caller leaves it as soon as that changes. Frames are
/// published while the reading session has no connection, so that one account may be enough.
struct BrokerTrial: Sendable {
    /// A connection that is wanted.
    enum Visit: Sendable, Equatable {
        /// Ends a session that an earlier check has left.
        case wipe
        /// Publishes retained messages, of which one expires soon.
        case publishRetained
        /// Begins a session, subscribed with a wildcard.
        case begin
        /// Resumes it, subscribed to the topic of the retained message as well.
        case readExactly
        /// Publishes the frames.
        case publishFrames
        /// Resumes the session, and acknowledges nothing.
        case count
        /// Resumes the session, and acknowledges everything.
        case resume
        /// Resumes it, subscribed to the message that has expired and then to the other one.
        case readExpired
        /// Ends the session.
        case end
        /// Removes the retained messages.
        case clear

        /// Whether it publishes; the others are connections of the session.
        var publishes: Bool { self == .publishRetained || self == .publishFrames || self == .clear }
    }

    /// What happened on the connection that is wanted.
    enum Event: Sendable, Equatable {
        /// The broker has accepted it, and the subscriptions.
        case connected(sessionPresent: Bool)
        /// A frame came, of which the first is 0.
        case frame(Int)
        /// The retained message that does not expire came, as one.
        case retained
        /// The one that expires came.
        case expiring
        /// The broker has accepted what was to be published.
        case published
        /// The connection, or what was to be published, was refused.
        case failed(String)
        /// Time passed.
        case tick
    }

    /// How long a retained message is waited for, in seconds.
    private static let retainedSeconds = 2.0
    /// How long nothing comes before the broker is taken to send no more.
    private static let quietSeconds = 0.5
    /// How long the first frame is waited for.
    private static let firstSeconds = 3.0
    /// How long the broker may take for what it does at once.
    private static let promptSeconds = 0.7
    /// How long frames are waited for that have to come again.
    static let redeliverySeconds = 40.0
    /// The failure of a broker that may have refused what was published without saying so.
    static let nothingCame = "nothing of what was published came"
    /// After how many seconds the one retained message expires.
    static let expirySeconds: UInt32 = 1
    /// How long after its publication it must have expired: brokers count whole seconds.
    private static let expiredSeconds = Double(expirySeconds) + 1
    /// How long connecting and publishing may take.
    private static let visitSeconds = 10.0

    /// The connection that is wanted; nil when the trial is over.
    private(set) var visit: Visit? = .wipe
    /// What was found out.
    private(set) var facts = BrokerFacts()
    /// Why the trial found out nothing, or not everything.
    private(set) var failure: String?

    /// How many frames are published: more than the broker may send at once.
    let frameCount: Int
    private let permitted: Int
    private let mayExpire: Bool
    private var expiredAt = 0.0
    private var hasCompanion = false
    private var startedAt: Double
    private var connectedAt: Double?
    /// When something came last on this connection.
    private var heardAt = 0.0
    private var sessionPresent = false
    /// The frames of the visits `count` and `resume`, with the times of their arrival.
    private var first: [Int: Double] = [:]
    private var again: [(frame: Int, at: Double)] = []
    private var hasBegun = false
    private var mayBeRetained = false

    /// A trial that begins at `now`, in seconds of the monotonic clock. `permitted` is how many unacknowledged frames the gateway wants;
    /// `mayExpire`, whether the protocol has an expiry of messages.
    init(permitted: Int, mayExpire: Bool, at now: Double) {
        self.permitted = permitted
        self.mayExpire = mayExpire
        frameCount = permitted + 20
        startedAt = now
    }

    /// Takes an event of the connection that is wanted. What it delivers may be known before that it is connected.
    mutating func handle(_ event: Event, at now: Double) {
        guard let visit else { return }
        switch event {
        case .failed(let reason): fail(visit, reason, at: now)
        case .connected(let present):
            (connectedAt, heardAt, sessionPresent) = (now, now, present)
            switch visit {
            case .wipe: go(to: .publishRetained, at: now)
            // Until all subscriptions are accepted the session keeps nothing: a cluster takes its time for each.
            case .begin where facts.retained != nil, .readExactly where facts.retained != nil:
                go(to: .publishFrames, at: now)
            case .count: if !present { facts.keepsSession = false }
            case .end: go(to: mayBeRetained ? .clear : nil, at: now)
            default: break
            }
        case .published:
            switch visit {
            case .publishRetained:
                mayBeRetained = true
                expiredAt = now + Self.expiredSeconds
                go(to: .begin, at: now)
            case .publishFrames: go(to: .count, at: now)
            case .clear: go(to: nil, at: now)
            default: break
            }
        case .retained:
            heardAt = now
            switch visit {
            case .begin: facts.retained = .wildcards
            case .readExactly: facts.retained = .exactTopics
            case .readExpired:
                hasCompanion = true
                return
            default: return
            }
            if connectedAt != nil { go(to: .publishFrames, at: now) }
        case .expiring:
            guard visit == .readExpired else { return }
            facts.expires = false
            finish(at: now)
        case .frame(let number):
            heardAt = now
            if visit == .count, first[number] == nil { first[number] = now }
            if visit == .resume { again.append((number, now)) }
            check(visit, at: now)
        case .tick: check(visit, at: now)
        }
    }

    private mutating func check(_ visit: Visit, at now: Double) {
        guard let connectedAt, !visit.publishes else {
            if now - startedAt > Self.visitSeconds { fail(visit, "the broker does not answer", at: now) }
            return
        }
        switch visit {
        case .begin where now - connectedAt >= Self.retainedSeconds: go(to: .readExactly, at: now)
        case .readExactly where now - connectedAt >= Self.retainedSeconds: go(to: .publishFrames, at: now)
        case .count: checkCount(since: connectedAt, at: now)
        case .resume: checkResumed(since: connectedAt, at: now)
        case .readExpired where hasCompanion && now - heardAt >= Self.quietSeconds:
            facts.expires = true
            finish(at: now)
        case .readExpired where now - connectedAt >= Self.retainedSeconds: finish(at: now)
        default: break
        }
    }

    private mutating func checkCount(since connectedAt: Double, at now: Double) {
        guard !first.isEmpty else {
            guard now - connectedAt >= Self.firstSeconds else { return }
            // Without frames it is not known whether the broker refused them or did not keep them.
            if facts.retained != nil { facts.keepsSession = false }
            if facts.keepsSession == nil { fail(.count, Self.nothingCame, at: now) } else { finish(at: now) }
            return
        }
        let isOver = now - heardAt >= Self.quietSeconds || now - connectedAt >= Self.visitSeconds
        guard first.count == frameCount || isOver else { return }
        facts.keepsSession = sessionPresent
        if facts.retained == nil { facts.retained = .nowhere }
        facts.window = BrokerFacts.Window(messages: first.count, queued: frameCount, permitted: permitted)
        go(to: .resume, at: now)
    }

    private mutating func checkResumed(since connectedAt: Double, at now: Double) {
        facts.redelivery = facts.redelivery ?? redelivery(since: connectedAt, at: now)
        guard facts.redelivery != nil else { return }
        guard mayExpire, facts.retained == .wildcards || facts.retained == .exactTopics else { return finish(at: now) }
        if now >= expiredAt { go(to: .readExpired, at: now) }
    }

    /// When frames came again; nil while it is not known.
    private func redelivery(since connectedAt: Double, at now: Double) -> BrokerFacts.Redelivery? {
        let missing = Set(first.keys).subtracting(again.map(\.frame))
        guard missing.isEmpty else {
            return now - connectedAt >= Self.redeliverySeconds ? .missing(after: Self.redeliverySeconds) : nil
        }
        guard Set(again.map(\.frame)).count == frameCount || now - heardAt >= Self.quietSeconds else { return nil }
        let repeated = again.filter { first[$0.frame] != nil }
        let isPrompt = repeated.allSatisfy { $0.at - connectedAt <= Self.promptSeconds }
        // Frames that were new come behind those that come again.
        let inOrder = zip(again, again.dropFirst()).allSatisfy { $0.frame <= $1.frame }
        let seconds = repeated.map { $0.at - (first[$0.frame] ?? $0.at) }.max() ?? 0
        return isPrompt ? .atOnce(inOrder: inOrder) : .after(seconds: seconds)
    }

    private mutating func finish(at now: Double) { go(to: hasBegun ? .end : mayBeRetained ? .clear : nil, at: now) }

    private mutating func fail(_ visit: Visit, _ reason: String, at now: Double) {
        failure = failure ?? reason
        switch visit {
        case .end: go(to: mayBeRetained ? .clear : nil, at: now)
        case .clear: go(to: nil, at: now)
        default: finish(at: now)
        }
    }

    private mutating func go(to next: Visit?, at now: Double) {
        visit = next
        if next == .begin { hasBegun = true }
        (startedAt, connectedAt, heardAt) = (now, nil, now)
    }
}
