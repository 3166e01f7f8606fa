import Logging

/// The thread of a client: it sleeps on the socket, calls libmosquitto, and carries out the actions of the lifecycle.
///
/// The order within a step gives the guarantee that nothing is written between reading messages and the handler's decision to
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
    let logger: Logger
    let shared: ClientShared
    /// Receives what is read; nil for a client that only publishes.
    let handler: (any DeliveryHandler)?
    /// The handler's last decision.
    var decision = DeliveryDecision(.hold)
    /// Since when acknowledgements are held; nil while none is.
    var heldSince: ContinuousClock.Instant?
    var lifecycle: ConnectionLifecycle
    var generator = SystemRandomNumberGenerator()
    var connection: MosquittoConnection?
    private var subscriptionsDue: [Int32: MosquittoConfiguration.Subscription] = [:]
    private var unsubscriptionsDue: Set<Int32> = []
    private var versions: VersionFallback
    private var keepAliveDue = ContinuousClock.now
    /// Before this, the receipts of what was published are left in the socket; nil where nothing is awaited.
    var receiptsDue: ContinuousClock.Instant?
    var ending: Ending?

    init(configuration: MosquittoConfiguration, logger: Logger, shared: ClientShared, handler: (any DeliveryHandler)?) {
        self.configuration = configuration
        versions = VersionFallback(configuration.version)
        self.handler = handler
        self.logger = logger
        self.shared = shared
        lifecycle = ConnectionLifecycle(configuration: configuration, startingAt: .now)
    }

    /// Blocks until the client is stopped or cancelled, or its configuration turns out invalid.
    func run() -> Result<Void, any Error> {
        MosquittoLibrary.prepare(logger: logger)
        while true {
            shared.pulse.beat()
            lifecycle.mayConnect = isOpen
            obeyRequests()
            switch ending {
            case nil: step()
            case .stopped:
                handler?.stopped()
                return .success(())
            case .cancelled: return .failure(CancellationError())
            case .failed(let error): return .failure(error)
            }
        }
    }

    private func step() {
        publish()
        review()
        sleep()
        if let connection {
            attend(to: connection)
            deliver(from: connection)
        }
        keepAlive()
        if heldSince != nil, let deadline = lifecycle.stopDeadline, ContinuousClock.now >= deadline { release() }
        handle(.tick)
    }

    /// Whether the client may connect and publish.
    var isOpen: Bool { configuration.fence.map { $0.passage == .open } ?? true }

    // MARK: Requests

    private func obeyRequests() {
        let requests = shared.control.requests
        if requests.drop, shared.control.takeDrop(), lifecycle.isReady { handle(.ended(.silent)) }
        if requests.cancel { return handle(.cancelled) }
        guard requests.stop else { return }
        if !lifecycle.isStopping {
            let isLost = configuration.fence.map { $0.passage == .lost } ?? false
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
        return configuration.acknowledges || shared.outbox.isEmpty
    }

    // MARK: Sleeping

    private func sleep() {
        guard let connection else {
            _ = shared.wakeUp.wait(socket: -1, forReading: false, forWriting: false, milliseconds: milliseconds())
            return
        }
        let isHandshaking = configuration.tls != nil && !connection.isEstablished
        // During a handshake the library reports that it wants to write also while it waits to read, so after the first write
        // only input and a short interval are waited for.
        let paces = isHandshaking && connection.hasWritten
        let collectsReceipts = receiptsDue.map { $0 > .now } ?? false
        let readiness = shared.wakeUp.wait(
            socket: connection.socket,
            forReading: mayRead(connection) && !collectsReceipts,
            forWriting: mayWrite(connection) && !paces,
            milliseconds: paces ? 20 : milliseconds()
        )
        if isHandshaking, readiness.isReadable || readiness.isWritable { connection.checkHandshake() }
        guard connection.endReason == nil else { return }
        if readiness.isWritable { connection.write() }
        if readiness.isReadable, connection.endReason == nil {
            readBatch(from: connection)
            receiptsDue = nil
        }
        if paces, connection.endReason == nil, connection.wantsWrite { connection.write() }
    }

    /// Whether the connection may write: any write would also send held acknowledgements.
    func mayWrite(_ connection: MosquittoConnection) -> Bool { connection.wantsWrite && heldSince == nil }

    /// Messages are read only after acknowledgements are written completely: those of the next batch would be sent with the rest.
    private func mayRead(_ connection: MosquittoConnection) -> Bool {
        guard lifecycle.isReady, configuration.acknowledges else { return true }
        return !lifecycle.isStopping && decision.mayRead && (heldSince != nil || !connection.wantsWrite)
    }

    private func milliseconds() -> Int32 {
        guard ending == nil else { return 0 }
        let now = ContinuousClock.now
        var nearest = now + ThreadPulse.interval
        if let deadline = lifecycle.nextDeadline { nearest = min(nearest, deadline) }
        if let reviewAt = decision.reviewAt { nearest = min(nearest, reviewAt) }
        if lifecycle.isReady, let retryAt = shared.outbox.retryAt { nearest = min(nearest, retryAt) }
        if let receiptsDue, receiptsDue > now { nearest = min(nearest, receiptsDue) }
        if connection != nil { nearest = min(nearest, keepAliveDue) }
        if !lifecycle.mayConnect { nearest = min(nearest, now + Self.fencePause) }
        return Int32((max(.zero, now.duration(to: nearest)) / .milliseconds(1)).rounded(.up))
    }

    /// The interval at which a fence that is not open is looked at.
    private static var fencePause: Duration { .milliseconds(50) }

    /// The interval at which the keep-alive is checked; each check is a wake-up.
    private var keepAliveInterval: Duration { .seconds(Double(configuration.keepAliveSeconds) / 5) }

    private func keepAlive() {
        guard let connection, ContinuousClock.now >= keepAliveDue else { return }
        keepAliveDue = .now + keepAliveInterval
        guard connection.isEstablished else { return }
        connection.keepAlive()
        attend(to: connection)
    }

    // MARK: Events of the broker

    /// Processes the events that callbacks have recorded since the last call.
    func attend(to connection: MosquittoConnection) {
        takeReceipts(from: connection)
        if let answer = connection.events.answer, answer.code == 0, !connection.isEstablished {
            guard versions.accepted() == .use else { return carryOut(.ended(.timedOut)) }
            connection.established()
            shared.count { $0.version = configuration.version }
            handler?.connected(sessionPresent: answer.sessionPresent)
            handle(.accepted(sessionPresent: answer.sessionPresent))
        }
        takeGrants(from: connection)
        if self.connection === connection, let reason = connection.endReason { handle(.ended(reason)) }
    }

    /// Chooses the version of the next attempt, and says once that the broker refuses MQTT 5.
    private func noteVersion(afterFailure reason: DisconnectReason) {
        guard versions.failed(reason) else { return }
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
        if case .ended(let reason) = event { noteVersion(afterFailure: reason) }
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
        case .disconnect: connection?.disconnect(within: .seconds(1), wakeUp: shared.wakeUp)
        case .announce(let state): announce(state)
        case .finish(.stopped): ending = .stopped
        case .finish(.cancelled): ending = .cancelled
        case .finish(.failed(let error)): ending = .failed(error)
        }
    }

    private func connect() {
        configuration.version = versions.version
        do throws(MosquittoError) {
            let connection = try MosquittoConnection(configuration: configuration)
            // A name server that does not respond is no fault of this thread.
            shared.pulse.pause()
            defer { shared.pulse.beat() }
            try connection.open()
            self.connection = connection
            keepAliveDue = .now + keepAliveInterval
        } catch {
            handle(.ended(.connectFailed(error)))
        }
    }

    private func subscribe(sessionPresent: Bool) {
        guard let connection else { return }
        var subscription = MosquittoConfiguration.Subscription("")
        do throws(MosquittoError) {
            for unwanted in sessionPresent ? configuration.unsubscriptions : [] {
                subscription.filter = unwanted
                unsubscriptionsDue.insert(try connection.unsubscribe(unwanted))
            }
            for wanted in configuration.subscriptions {
                subscription = wanted
                subscriptionsDue[try connection.subscribe(wanted)] = wanted
            }
        } catch {
            handle(.ended(.subscriptionRefused(subscription, error)))
        }
    }

    func close() {
        guard let connection else { return }
        connection.abandon()
        self.connection = nil
        receiptsDue = nil
        heldSince = nil
        subscriptionsDue = [:]
        unsubscriptionsDue = []
        shared.outbox.withOutboxes { $0.connectionLost() }
        handler?.disconnected()
    }

    private func announce(_ state: ConnectionState) {
        switch state {
        case .connected(let sessionPresent):
            shared.count { $0.connections += 1 }
            logger.info("connected", metadata: [LogKey.sessionPresent: "\(sessionPresent)"])
        case .disconnected(let reason):
            let retry = lifecycle.nextDeadline.map { ContinuousClock.now.duration(to: $0) / .seconds(1) }
            logger.warning(
                "disconnected",
                metadata: [
                    LogKey.reason: "\(reason)",
                    LogKey.retrySeconds: "\(retry.map { "\(($0 * 100).rounded() / 100)" } ?? "never")",
                ])
        case .connecting, .stopped:
            break
        }
        shared.states.announce(state)
    }
}
