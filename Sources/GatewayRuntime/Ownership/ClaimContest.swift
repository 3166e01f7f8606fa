/// Decides who has a gateway's name: by claims that come over one connection at a time; a pure value without clock or connection.
///
/// The owner publishes its claim twice a second. Its lease lasts 2.5 s from the sending of a claim that came back; another may take the
/// name 3 s after the last claim that it saw. A start that finds a claim of its own state directory takes the name at once. Any other
/// start contests it: it publishes a claim, and has the name if none that outranks it comes within half a second after that has come back,
/// whichever order the claims come in. Once the name is lost nothing else can happen.
///
/// This relies on the order of a topic: when a claim comes back, every claim that the broker had before it has come too.
///
/// There is no second lease in NATS's key-value store where states are kept in it: two leases can disagree. `FencedBucket` makes
/// each write conditional instead, so a late owner changes nothing there.
struct ClaimContest: Sendable {
    /// What a caller has to do, in order.
    enum Action: Equatable {
        /// Store the epoch and this instance, before anything is published with them.
        case record(epoch: Int)
        case publish(Claim)
        /// The name is won with this epoch; `changesOwner` when it, or the states, were another's before.
        case win(epoch: Int, changesOwner: Bool)
        /// The owner may act until this instant, on the monotonic clock.
        case lease(until: Double)
        /// The name belongs to another.
        case lose(to: Claim)
    }

    private enum Stage { case looking, contesting, owning, ended }

    /// How often an owner renews its claim.
    static let renewSeconds = 0.5
    /// How long an owner may act after it has sent a claim.
    static let leaseSeconds = 2.5
    /// How long a claim must not have been renewed before another takes the name.
    static let silenceSeconds = 3.0
    /// How long a newcomer waits for the claims of others.
    static let contestSeconds = 0.5
    /// The shortest interval at which claims of others are answered.
    private static let answerSeconds = 0.05
    /// Claims without an answer that are remembered.
    private static let mostUnanswered = 16

    private var stage = Stage.looking
    /// The last claim that was made; the epoch is the highest that is known.
    private var own: Claim
    private let resumable: Set<String>
    /// Whether the states are those of another: an owner has published them, and no earlier run has claimed the name with them.
    private let hasStatesOfOther: Bool
    private var isLinked = false
    /// Whether everything retained has come over the connection.
    private var hasLooked = false
    /// The last claim of another that was retained, and when it was first seen like this.
    private var seen: (claim: Claim, at: Double)?
    private var publishedAt = -Double.infinity
    /// Claims that have not come back, and when they were sent.
    private var sent: [(number: Int, at: Double)] = []
    /// When the name may be won; nil until a claim has come back: storing the epoch before it may have taken longer than the contest.
    private var confirmDue: Double?
    /// The claim that wins the name when it comes back.
    private var confirming: Int?

    /// A contest that begins. `epoch` is the highest that is stored, 0 for none; the claims of `resumable` instances are those of this
    /// gateway's earlier runs.
    init(instance: String, host: String, started: Double, epoch: Int = 0, resumable: Set<String> = []) {
        own = Claim(instance: instance, epoch: epoch, number: 0, state: .contesting, host: host, started: started)
        self.resumable = resumable
        hasStatesOfOther = epoch > 0 && resumable.isEmpty
    }

    /// When `tick` is due at the latest, on the monotonic clock; nil when only events matter.
    var nextDeadline: Double? {
        guard isLinked else { return nil }
        switch stage {
        case .looking:
            let repeated = hasLooked ? nil : publishedAt + 2 * Self.renewSeconds
            return [repeated, seen.map { $0.at + Self.silenceSeconds }].compactMap(\.self).min()
        case .contesting:
            if confirming == nil, let confirmDue { return confirmDue }
            return publishedAt + Self.renewSeconds
        case .owning: return renewalDue
        case .ended: return nil
        }
    }

    /// When an owner renews its claim: at the instants at which heartbeats are sent, so that both wake the process once.
    private var renewalDue: Double { publishedAt.nextMultiple(of: Self.renewSeconds) }

    /// A connection is there, on which claims will come.
    mutating func connected(at now: Double) -> [Action] {
        (isLinked, hasLooked, sent, confirming) = (true, false, [], nil)
        switch stage {
        case .looking: return look(at: now)
        case .contesting:
            // Another may have taken the name meanwhile: it counts as the owner until now.
            if own.state == .owned { (own.state, confirmDue) = (.contesting, nil) }
            return publish(at: now)
        case .owning: return publish(at: now)
        case .ended: return []
        }
    }

    /// The connection has ended.
    mutating func disconnected() { (isLinked, confirming) = (false, nil) }

    /// A claim has come; `isRetained` when it is a copy from before the connection.
    mutating func receive(_ claim: Claim, isRetained: Bool, at now: Double) -> [Action] {
        guard stage != .ended, isLinked else { return [] }
        if claim.instance == own.instance { return isRetained ? [] : receiveOwn(claim, at: now) }
        if claim.state == .looking { return stage == .looking ? [] : answer(at: now) }
        guard stage == .looking else { return claim.outranks(own) ? lose(to: claim) : answer(at: now) }
        own.epoch = max(own.epoch, claim.epoch)
        if claim.state != .released {
            // A retained copy that has changed between two connections was renewed as well.
            let isNews = !isRetained || seen.map { $0.claim != claim } ?? false
            if isNews { return lose(to: claim) }
        }
        if seen?.claim != claim { seen = (claim, now) }
        return contest(at: now)
    }

    /// Time has passed.
    mutating func tick(at now: Double) -> [Action] {
        guard isLinked else { return [] }
        switch stage {
        case .looking where !hasLooked && now >= publishedAt + 2 * Self.renewSeconds: return look(at: now)
        case .looking: return contest(at: now)
        case .contesting where confirming == nil && confirmDue != nil:
            guard let confirmDue, now >= confirmDue else { return [] }
            defer { confirming = own.number }
            return publish(at: now)
        case .contesting: return now >= publishedAt + Self.renewSeconds ? publish(at: now) : []
        case .owning: return now >= renewalDue ? publish(at: now) : []
        case .ended: return []
        }
    }

    /// The last claim of an owner that stops; nil for one that is none. Until it has come back the owner goes on renewing its lease: what
    /// is published before it may take a while.
    mutating func release() -> Claim? {
        guard stage == .owning else {
            stage = .ended
            return nil
        }
        own.number += 1
        var claim = own
        claim.state = .released
        return claim
    }

    /// The last claim that was made.
    var claim: Claim { own }

    /// An owner before this gateway has published with `epoch`: its own will be higher.
    mutating func raise(to epoch: Int) { own.epoch = max(own.epoch, epoch) }

    /// It is known from elsewhere that the name belongs to another.
    mutating func end(by claim: Claim) -> [Action] { stage == .ended ? [] : lose(to: claim) }

    // MARK: Steps

    private mutating func look(at now: Double) -> [Action] {
        var claim = own
        (claim.state, claim.epoch) = (.looking, 0)
        publishedAt = now
        return [.publish(claim)]
    }

    private mutating func receiveOwn(_ claim: Claim, at now: Double) -> [Action] {
        if stage == .looking {
            hasLooked = hasLooked || claim.state == .looking
            return contest(at: now)
        }
        if claim.state == .released {
            stage = .ended
            return []
        }
        guard claim.state != .looking, let index = sent.firstIndex(where: { $0.number == claim.number }) else { return [] }
        let lease = Action.lease(until: sent[index].at + Self.leaseSeconds)
        sent.removeFirst(index + 1)
        if stage == .owning { return [lease] }
        guard let confirming else {
            confirmDue = confirmDue ?? now + Self.contestSeconds
            return []
        }
        guard claim.number >= confirming else { return [] }
        stage = .owning
        own.state = .owned
        return [lease, .win(epoch: own.epoch, changesOwner: changesOwner)] + publish(at: now)
    }

    /// Contests the name as soon as it may be contested.
    private mutating func contest(at now: Double) -> [Action] {
        let isResumed = seen.map { resumable.contains($0.claim.instance) } ?? false
        guard hasLooked || isResumed else { return [] }
        if let seen, !isResumed, seen.claim.state != .released, now < seen.at + Self.silenceSeconds { return [] }
        guard Claim.epochs.contains(own.epoch + 1) else { return lose(to: seen?.claim ?? own) }
        stage = .contesting
        own.epoch += 1
        own.state = isResumed ? .owned : .contesting
        confirmDue = nil
        let actions = publish(at: now)
        if isResumed { confirming = own.number }
        return [.record(epoch: own.epoch)] + actions
    }

    private var changesOwner: Bool { seen.map { !resumable.contains($0.claim.instance) } ?? hasStatesOfOther }

    /// Publishes the claim again for others, but not for each of their messages.
    private mutating func answer(at now: Double) -> [Action] {
        now >= publishedAt + Self.answerSeconds ? publish(at: now) : []
    }

    private mutating func publish(at now: Double) -> [Action] {
        own.number += 1
        publishedAt = now
        sent.append((own.number, now))
        if sent.count > Self.mostUnanswered { sent.removeFirst() }
        return [.publish(own)]
    }

    private mutating func lose(to claim: Claim) -> [Action] {
        stage = .ended
        return [.lose(to: claim)]
    }
}
