/// Decides when to connect, subscribe, give up and finish; a pure value without clock, socket or thread.
///
/// The caller reports what happened and carries out the actions in order.
struct ConnectionLifecycle {
    typealias Instant = MonotonicInstant

    /// What the client is doing.
    enum Phase: Equatable {
        case waiting(until: Instant)
        case connecting(deadline: Instant)
        case subscribing(deadline: Instant, sessionPresent: Bool)
        case ready(since: Instant)
        case finished
    }

    /// What happened.
    enum Event {
        /// Time passed.
        case tick
        /// CONNACK with success.
        case accepted(sessionPresent: Bool)
        /// Every SUBACK granted the requested quality.
        case subscribed
        /// The connection has ended or must be ended.
        case ended(DisconnectReason)
        /// A clean stop is requested, at the latest at `deadline`.
        case stopRequested(deadline: Instant)
        /// After `stopRequested`: nothing is left to acknowledge or publish.
        case drained
        case cancelled
    }

    /// What to do.
    enum Action: Equatable {
        case connect
        /// Unsubscribe from unwanted filters of a kept session, and subscribe.
        case subscribe(sessionPresent: Bool)
        /// Drop the connection, unwritten.
        case close
        /// Write what is queued, then DISCONNECT.
        case disconnect
        case announce(ConnectionState)
        case finish(Ending)
    }

    /// How `run` ends.
    enum Ending: Equatable {
        case stopped
        case cancelled
        case failed(MosquittoError)
    }

    private(set) var phase: Phase
    private let backOff: MosquittoConfiguration.BackOff
    private let connectTimeout: Duration
    private let nextBrokerTimeout: Duration
    private let brokerCount: Int
    private let hasSubscriptions: Bool
    private var failures = 0
    private var connectingSince: Instant
    private var hasConnected = false
    private var isSubscribed = false
    /// How many connections in a row were lost soon after they were made.
    private var quickLosses = 0
    /// Whether the next attempt may begin once its wait is over.
    var mayConnect = true
    /// Whether acknowledgements are held: then nothing can be written, and the wait for SUBACK is paused.
    var isHeld = false
    /// The deadline of a stop, once it is requested.
    private(set) var stopDeadline: Instant?

    /// How long a connection must have lasted for the next failure to count as the first.
    private static let stableAfter = Duration.seconds(2)
    /// How long a connection lasts at most where two clients with one identifier end each other's.
    private static let quickLoss = Duration.seconds(30)
    /// How many such losses in a row are no coincidence.
    private static let repeatedLosses = 3

    init(configuration: MosquittoConfiguration, startingAt now: Instant) {
        phase = .waiting(until: now)
        connectingSince = now
        backOff = configuration.backOff
        connectTimeout = .seconds(configuration.connectTimeoutSeconds)
        nextBrokerTimeout = .seconds(configuration.nextBrokerSeconds)
        brokerCount = max(1, configuration.brokers.addresses.count)
        hasSubscriptions = !configuration.subscriptions.isEmpty
    }

    /// When `tick` is due at the latest; nil when only events matter.
    var nextDeadline: Instant? {
        let own: Instant? =
            switch phase {
            case .waiting(let until): mayConnect ? until : nil
            case .connecting(let deadline): deadline
            case .subscribing(let deadline, _): isHeld ? nil : deadline
            case .ready, .finished: nil
            }
        return .earlier(own, stopDeadline)
    }

    /// Whether `tick` is due.
    func isDue(at now: Instant) -> Bool { nextDeadline.map { now >= $0 } ?? false }

    var isReady: Bool { if case .ready = phase { true } else { false } }

    var isStopping: Bool { stopDeadline != nil }

    /// Whether the wait for CONNACK or SUBACK is over, unless a stop is due too.
    func isOverdue(at now: Instant) -> Bool {
        if let stopDeadline, now >= stopDeadline { return false }
        switch phase {
        case .connecting(let deadline): return now >= deadline
        case .subscribing(let deadline, _): return !isHeld && now >= deadline
        case .waiting, .ready, .finished: return false
        }
    }

    mutating func handle(
        _ event: Event, at now: Instant, using generator: inout some RandomNumberGenerator
    ) -> [Action] {
        if case .finished = phase { return [] }
        switch event {
        case .tick: return tick(now, &generator)
        case .accepted(let sessionPresent): return accepted(sessionPresent, now)
        case .subscribed: return subscribed(now)
        case .ended(let reason): return ended(reason, now, &generator)
        case .stopRequested(let deadline):
            stopDeadline = stopDeadline ?? deadline
            return []
        case .drained: return isStopping ? finishInOrder() : []
        case .cancelled: return finish(.cancelled)
        }
    }

    /// Moves the deadline of SUBACK by the time for which acknowledgements were held.
    mutating func wasHeld(for duration: Duration) {
        if case .subscribing(let deadline, let sessionPresent) = phase {
            phase = .subscribing(deadline: deadline + duration, sessionPresent: sessionPresent)
        }
    }

    // MARK: One event each

    private mutating func tick(_ now: Instant, _ generator: inout some RandomNumberGenerator) -> [Action] {
        if let stopDeadline, now >= stopDeadline { return finishInOrder() }
        switch phase {
        case .waiting(let until) where now >= until && mayConnect:
            connectingSince = now
            phase = .connecting(deadline: now + answerTimeout)
            return [.announce(.connecting), .connect]
        case .connecting where isOverdue(at: now), .subscribing where isOverdue(at: now):
            return ended(.timedOut, now, &generator)
        default:
            return []
        }
    }

    /// How long CONNACK is waited for.
    private var answerTimeout: Duration {
        guard brokerCount > 1 else { return connectTimeout }
        return min(connectTimeout, nextBrokerTimeout * (1 << min(failures / brokerCount, 10)))
    }

    private mutating func accepted(_ sessionPresent: Bool, _ now: Instant) -> [Action] {
        guard case .connecting = phase else { return [] }
        hasConnected = true
        // Subscribing again would deliver every retained message again, so it is done only when the broker does not hold the
        // subscriptions.
        guard hasSubscriptions, !isSubscribed || !sessionPresent else {
            phase = .ready(since: now)
            return [.announce(.connected(sessionPresent: sessionPresent))]
        }
        isSubscribed = false
        phase = .subscribing(deadline: connectingSince + connectTimeout, sessionPresent: sessionPresent)
        return [.subscribe(sessionPresent: sessionPresent)]
    }

    private mutating func subscribed(_ now: Instant) -> [Action] {
        guard case .subscribing(_, let sessionPresent) = phase else { return [] }
        isSubscribed = true
        phase = .ready(since: now)
        return [.announce(.connected(sessionPresent: sessionPresent))]
    }

    private mutating func ended(
        _ reason: DisconnectReason, _ now: Instant, _ generator: inout some RandomNumberGenerator
    ) -> [Action] {
        if case .connectFailed(let error) = reason, !error.isRetriable, !hasConnected { return finish(.failed(error)) }
        if let stopDeadline, now >= stopDeadline { return finish(.stopped) }
        let reason = countingLosses(reason, now)
        if case .ready(let since) = phase, now - since >= Self.stableAfter { failures = 0 }
        failures += 1
        let delay =
            switch reason {
            case .sessionTakenOver: backOff.longDelay(using: &generator)
            case .batchReleased: backOff.shortDelay(using: &generator)
            // The wait begins to grow once each broker has been tried.
            case _ where failures % brokerCount != 0: backOff.nextBrokerDelay(using: &generator)
            default: backOff.delay(afterFailures: failures / brokerCount, using: &generator)
            }
        phase = .waiting(until: now + delay)
        return [.close, .announce(.disconnected(reason))]
    }

    /// Counts a loss soon after connecting; returns the reason, which is another from the third one on.
    private mutating func countingLosses(_ reason: DisconnectReason, _ now: Instant) -> DisconnectReason {
        guard case .ready(let since) = phase else { return reason }
        guard case .lost(let error) = reason, now - since < Self.quickLoss else {
            quickLosses = 0
            return reason
        }
        quickLosses += 1
        return quickLosses >= Self.repeatedLosses ? .lostRepeatedly(error) : reason
    }

    private mutating func finishInOrder() -> [Action] {
        guard isReady else { return finish(.stopped) }
        return [.disconnect] + finish(.stopped)
    }

    private mutating func finish(_ ending: Ending) -> [Action] {
        phase = .finished
        return [.close, .finish(ending)]
    }
}
