import Glibc
import Logging

/// The loop of a client: it sleeps on the socket, calls libmosquitto, and carries out the actions of the lifecycle.
///
/// It runs on the client's thread; `LoopAccess` lets a caller publish while that sleeps. The order within a step gives the guarantee that nothing is written between reading messages and the handler's decision to
/// acknowledge them.
final class MosquittoLoop {
    /// How `run` ends.
    enum Ending {
        case stopped
        case cancelled
        case failed(any Error)
    }

    /// Its version changes when the broker refuses MQTT 5.
    private(set) var configuration: MosquittoConfiguration
    /// What each step needs of the configuration, of which each use makes a copy.
    let acknowledges: Bool
    let fence: (any ConnectionFence)?
    let batchLimit: Int
    let batchDuration: Duration
    private let usesTLS: Bool
    let logger: Logger
    let shared: ClientShared
    /// Receives what is read; nil for a client that only publishes.
    let handler: (any DeliveryHandler)?
    /// The handler's last decision.
    var decision = DeliveryDecision(.hold)
    /// Since when acknowledgements are held; nil while none is.
    var heldSince: MonotonicInstant? {
        didSet { lifecycle.isHeld = heldSince != nil }
    }
    var lifecycle: ConnectionLifecycle
    var generator = SystemRandomNumberGenerator()
    var connection: MosquittoConnection?
    private var subscriptionsDue: [Int32: MosquittoConfiguration.Subscription] = [:]
    private var unsubscriptionsDue: Set<Int32> = []
    private var choice: BrokerChoice
    /// The broker of the attempt.
    var broker: BrokerAddress { choice.broker }
    /// Whether the next attempt is made because the version of the last was not the broker's: the client goes on connecting.
    private var triesVersion = false
    private var keepAliveDue = MonotonicInstant.now
    /// When messages are read next.
    var messagesDue = MonotonicInstant.now
    /// The load of the thread.
    private var load: ThreadLoad
    /// When receipts are read next.
    private(set) var receiptsDue = MonotonicInstant.now
    /// What the thread sleeps for.
    private var interest = Interest()
    var ending: Ending?
    /// Whether the connection that ends now was closed by the broker, or broke.
    private var isEndedByPeer = false

    init(configuration: MosquittoConfiguration, logger: Logger, shared: ClientShared, handler: (any DeliveryHandler)?) {
        self.configuration = configuration
        acknowledges = configuration.acknowledges
        fence = configuration.fence
        batchLimit = configuration.batchLimit
        batchDuration = .milliseconds(configuration.batchMilliseconds)
        usesTLS = configuration.tls != nil
        choice = BrokerChoice(configuration)
        load = ThreadLoad(limit: configuration.gathersAbove)
        self.handler = handler
        self.logger = logger
        self.shared = shared
        lifecycle = ConnectionLifecycle(configuration: configuration, startingAt: .now)
    }

    /// What the thread sleeps for until the next step.
    struct Interest {
        /// The socket, or -1.
        var socket: Int32 = -1
        var reads = false
        var writes = false
        /// The longest that the thread may sleep.
        var milliseconds: Int32 = 0
    }

    /// What follows from a step.
    enum Outcome {
        case sleep(Interest)
        case ended(Result<Void, any Error>)
    }

    /// The first step.
    func begin() -> Outcome {
        MosquittoLibrary.prepare(logger: logger)
        return prepare()
    }

    /// Reads and writes what a sleep found possible, and does all that is due.
    func step(_ readiness: WakeUp.Readiness) -> Outcome {
        if let connection {
            use(readiness, of: connection)
            attend(to: connection)
            deliver(from: connection)
        }
        keepAlive()
        let now = MonotonicInstant.now
        if heldSince != nil, let deadline = lifecycle.stopDeadline, now >= deadline { release() }
        if lifecycle.isDue(at: now) { handle(.tick) }
        return prepare()
    }

    /// Does what callers have asked for, and determines what to sleep for.
    private func prepare() -> Outcome {
        shared.pulse.beat()
        lifecycle.mayConnect = isOpen
        obeyRequests()
        if ending != nil { configuration.brokers.log.ended(configuration.clientID) }
        switch ending {
        case nil: break
        case .stopped:
            handler?.stopped()
            return .ended(.success(()))
        case .cancelled: return .ended(.failure(CancellationError()))
        case .failed(let error): return .ended(.failure(error))
        }
        publish()
        if let connection, connection.endReason != nil { attend(to: connection) }
        review()
        interest = nextInterest(at: .now)
        return .sleep(interest)
    }

    /// Publishes for a caller while the thread sleeps, which saves waking it; returns whether it has to be woken nevertheless.
    func publishForCaller() -> Bool {
        guard !acknowledges, publish(atMost: Self.mostForCaller), connection?.endReason == nil else { return true }
        let present = socketInterest(at: .now)
        return present.writes && !interest.writes || present.reads && !interest.reads
    }

    /// How many messages a caller publishes: of many the thread publishes the rest, while the caller goes on with its work.
    private static let mostForCaller = 4

    /// Whether the client may connect and publish.
    var isOpen: Bool { fence.map { $0.passage == .open } ?? true }

    // MARK: Requests

    private func obeyRequests() {
        let requests = shared.control.requests
        if requests.drop, shared.control.takeDrop(), connection?.isEstablished == true { handle(.ended(.silent)) }
        if requests.changesSubscriptions { change(shared.control.takeChanges()) }
        if requests.cancel { return handle(.cancelled) }
        guard requests.stop else { return }
        if !lifecycle.isStopping {
            let isLost = fence.map { $0.passage == .lost } ?? false
            if isLost { handle(.ended(.batchReleased)) }
            // Without a connection nothing can be accepted: only a short while for one that is being made.
            let limit =
                isLost ? 0 : min(configuration.drainTimeoutSeconds, lifecycle.isReady ? .infinity : Self.connectingDrainSeconds)
            handle(.stopRequested(deadline: .now + .seconds(limit)))
            review()
        }
        if isDrained { handle(.drained) }
    }

    private static let connectingDrainSeconds = 1.0

    private var isDrained: Bool {
        guard heldSince == nil, connection?.wantsWrite != true else { return false }
        // Receipts cannot be read without reading messages that have to be acknowledged: then there is nothing to wait for.
        return acknowledges || shared.outbox.isEmpty
    }

    // MARK: Sleeping

    /// All of it is for one instant: what came due between two readings of the clock would be neither read nor waited for.
    private func nextInterest(at now: MonotonicInstant) -> Interest {
        var interest = socketInterest(at: now)
        interest.milliseconds = connection.map(paces) == true ? 20 : milliseconds(at: now)
        return interest
    }

    private func socketInterest(at now: MonotonicInstant) -> Interest {
        guard let connection else { return Interest() }
        return Interest(
            socket: connection.socket, reads: mayRead(connection, at: now) && !collectsReceipts(at: now),
            writes: mayWrite(connection) && !paces(connection))
    }

    private func isHandshaking(_ connection: MosquittoConnection) -> Bool {
        usesTLS && !connection.isEstablished
    }

    /// During a handshake the library reports that it wants to write also while it waits to read, so after the first write
    /// only input and a short interval are waited for.
    private func paces(_ connection: MosquittoConnection) -> Bool { isHandshaking(connection) && connection.hasWritten }

    private func use(_ readiness: WakeUp.Readiness, of connection: MosquittoConnection) {
        let paces = paces(connection)
        if isHandshaking(connection), readiness.isReadable || readiness.isWritable { connection.checkHandshake() }
        guard connection.endReason == nil else { return }
        if readiness.isWritable, mayWrite(connection) { connection.write() }
        if connection.endReason == nil, readiness.isReadable || hasGathered(connection) {
            if readBatch(from: connection), configuration.gatherMilliseconds > 0, !connection.events.messages.isEmpty {
                let now = MonotonicInstant.now
                load.note(at: now, used: MonotonicInstant.read(CLOCK_THREAD_CPUTIME_ID))
                if load.isBusy, decision.gathersFrom.map({ $0 <= now }) ?? true {
                    messagesDue = now + .milliseconds(configuration.gatherMilliseconds)
                }
            }
            if !connection.events.receipts.isEmpty { receiptsDue = .now + Self.receiptPause }
        }
        // One record of TLS may have CONNACK and messages: their acknowledgements are queued, and nobody holds them yet.
        if paces, connection.endReason == nil, connection.events.answer == nil, mayWrite(connection) { connection.write() }
    }

    /// Whether the connection may write: any write would also send held acknowledgements, and before CONNACK also CONNECT, which
    /// ends the connection of a client that has the session by now.
    func mayWrite(_ connection: MosquittoConnection) -> Bool {
        connection.wantsWrite && heldSince == nil && (connection.isEstablished || isOpen)
    }

    /// Messages are read only after acknowledgements are written completely: those of the next batch would be sent with the rest.
    /// Before SUBACK the handler decides as soon as it holds messages of a kept session.
    private func mayRead(_ connection: MosquittoConnection, at now: MonotonicInstant) -> Bool {
        guard acknowledges, lifecycle.isReady || heldSince != nil else { return true }
        return !lifecycle.isStopping && decision.mayRead && messagesDue <= now && (heldSince != nil || !connection.wantsWrite)
    }

    /// Whether messages have come that the last sleep did not wait for, and that may be read now. They are read before the handler's
    /// review, which may end waits for them: a review that is due ends the time after a batch.
    private func hasGathered(_ connection: MosquittoConnection) -> Bool {
        guard acknowledges, lifecycle.isReady, !interest.reads else { return false }
        let now = MonotonicInstant.now
        if let reviewAt = decision.reviewAt, reviewAt <= now { messagesDue = min(messagesDue, now) }
        return mayRead(connection, at: now) && connection.hasInput
    }

    private func milliseconds(at now: MonotonicInstant) -> Int32 {
        guard ending == nil else { return 0 }
        var nearest = now + ThreadPulse.interval
        if let deadline = lifecycle.nextDeadline { nearest = min(nearest, deadline) }
        if let reviewAt = decision.reviewAt { nearest = min(nearest, reviewAt) }
        if lifecycle.isReady, lifecycle.mayConnect, let retryAt = shared.outbox.retryAt(at: now) {
            nearest = min(nearest, retryAt)
        }
        if receiptsDue > now { nearest = min(nearest, receiptsDue) }
        if messagesDue > now { nearest = min(nearest, messagesDue) }
        if connection != nil { nearest = min(nearest, keepAliveDue) }
        if !lifecycle.mayConnect { nearest = min(nearest, now + Self.fencePause) }
        return now.milliseconds(until: nearest)
    }

    /// The interval at which a fence that is not open is looked at.
    private static var fencePause: Duration { .milliseconds(50) }

    private func keepAlive() {
        guard let connection, MonotonicInstant.now >= keepAliveDue else { return }
        keepAliveDue = .now + connection.keepAliveInterval
        guard connection.isEstablished else { return }
        connection.keepAlive()
        attend(to: connection)
    }

    // MARK: Events of the broker

    /// Processes the events that callbacks have recorded since the last call.
    func attend(to connection: MosquittoConnection) {
        takeReceipts(from: connection)
        if let answer = connection.events.answer, answer.code == 0, !connection.isEstablished {
            triesVersion = choice.accepted() == .tryAgain
            guard !triesVersion else { return carryOut(.ended(.timedOut)) }
            connection.established()
            keepAliveDue = .now + connection.keepAliveInterval
            shared.count {
                ($0.version, $0.broker) = (configuration.version, choice.broker)
                $0.terms = configuration.version == .v5 ? connection.events.terms : nil
            }
            handler?.connected(sessionPresent: answer.sessionPresent)
            handle(.accepted(sessionPresent: answer.sessionPresent))
        }
        takeGrants(from: connection)
        if self.connection === connection, let reason = connection.endReason { handle(.ended(reason)) }
    }

    /// Chooses broker and version of the next attempt, and says once that the broker refuses MQTT 5.
    private func noteVersion(afterFailure reason: DisconnectReason) {
        let isRefused = choice.failed(reason)
        triesVersion = isRefused || choice.isChoosing
        guard isRefused else { return }
        logger.notice(
            "the broker refuses MQTT 5: MQTT 3.1.1 is used (setting mqtt.version)", metadata: [LogKey.reason: "\(reason)"])
    }

    private func takeGrants(from connection: MosquittoConnection) {
        let (grants, revocations) = (connection.events.grants, connection.events.revocations)
        guard !grants.isEmpty || !revocations.isEmpty else { return }
        connection.events.grants = []
        connection.events.revocations = []
        unsubscriptionsDue.subtract(revocations)
        for (packetID, code) in grants {
            guard let subscription = subscriptionsDue.removeValue(forKey: packetID) else { continue }
            guard code < subscription.qos.rawValue || code >= 0x80 else { continue }
            let reason = DisconnectReason.subscriptionRefused(subscription, .grant(code, configuration.version))
            if subscription.isRequired { return handle(.ended(reason)) }
            logger.warning("\(reason)")
        }
        if subscriptionsDue.isEmpty, unsubscriptionsDue.isEmpty { handle(.subscribed) }
    }

    // MARK: Actions of the lifecycle

    func handle(_ event: ConnectionLifecycle.Event) {
        switch event {
        case .tick where lifecycle.isOverdue(at: .now): return handle(.ended(.timedOut))
        // The thread may have been stopped since the last look, for longer than the fence stays open.
        case .tick: lifecycle.mayConnect = isOpen
        case .ended(let reason):
            noteVersion(afterFailure: reason)
            isEndedByPeer = reason.isByPeer
        default: break
        }
        carryOut(event)
    }

    private func carryOut(_ event: ConnectionLifecycle.Event) {
        for action in lifecycle.handle(event, at: .now, using: &generator) { perform(action) }
    }

    private func perform(_ action: ConnectionLifecycle.Action) {
        switch action {
        case .connect: connect()
        case .subscribe(let sessionPresent): subscribe(sessionPresent: sessionPresent)
        case .close: close()
        // Acknowledgements that are held must not leave: the connection is closed instead.
        case .disconnect: if heldSince == nil { connection?.disconnect(within: .seconds(1), wakeUp: shared.wakeUp) }
        case .announce(let state): announce(state)
        // What a handler has thrown is not replaced by a stop behind it.
        case .finish where ending != nil: break
        case .finish(.stopped): ending = .stopped
        case .finish(.cancelled): ending = .cancelled
        case .finish(.failed(let error)): ending = .failed(error)
        }
    }

    private func connect() {
        choice.begin()
        configuration.version = choice.version
        do throws(MosquittoError) {
            let connection = try MosquittoConnection(configuration: configuration, to: choice.broker)
            // A name server that does not respond is no fault of this thread.
            shared.pulse.pause()
            defer { shared.pulse.beat() }
            try connection.open()
            self.connection = connection
            keepAliveDue = .now + connection.keepAliveInterval
        } catch {
            handle(.ended(.connectFailed(error)))
        }
    }

    /// Subscribes first: between UNSUBSCRIBE and SUBSCRIBE the broker would keep nothing of what only both filters match.
    private func subscribe(sessionPresent: Bool) {
        guard let connection else { return }
        var subscription = MosquittoConfiguration.Subscription("")
        do throws(MosquittoError) {
            for wanted in configuration.subscriptions {
                subscription = wanted
                subscriptionsDue[try connection.subscribe(wanted)] = wanted
            }
            for unwanted in sessionPresent ? configuration.unsubscriptions : [] {
                subscription.filter = unwanted
                unsubscriptionsDue.insert(try connection.unsubscribe(unwanted))
            }
        } catch {
            handle(.ended(.subscriptionRefused(subscription, error)))
        }
    }

    private func change(_ changes: [SubscriptionChange]) {
        guard lifecycle.isReady, let connection else { return }
        for change in changes {
            switch change {
            case .subscribe(let subscription): _ = try? connection.subscribe(subscription)
            case .unsubscribe(let filter): _ = try? connection.unsubscribe(filter)
            }
        }
    }

    func close() {
        guard let connection else { return }
        connection.abandon()
        self.connection = nil
        heldSince = nil
        subscriptionsDue = [:]
        unsubscriptionsDue = []
        shared.outbox.withOutboxes { $0.connectionLost(byPeer: isEndedByPeer, at: .now) }
        isEndedByPeer = false
        handler?.disconnected()
    }

    private func announce(_ state: ConnectionState) {
        switch state {
        case .connected(let sessionPresent):
            shared.count { $0.connections += 1 }
            log(connectedWithSession: sessionPresent)
        case .disconnected(let reason):
            log(reason)
            if triesVersion { return }
        case .connecting, .stopped:
            break
        }
        shared.states.announce(state)
    }
}
