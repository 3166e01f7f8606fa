package import Logging

/// A connection to one broker: it passes what it reads to a handler on its own thread, and publishes in order.
///
/// One named thread runs libmosquitto, but for urgent messages that their caller can publish while that thread sleeps. Every method here may
/// be called from any thread. The client connects, and reconnects, until it is stopped.
package final class MosquittoClient: Sendable {
    private let configuration: MosquittoConfiguration
    private let logger: Logger
    private let shared: ClientShared

    /// Creates a client; nothing happens before `run`.
    package init(configuration: MosquittoConfiguration, logger: Logger) {
        self.configuration = configuration
        var logger = logger
        logger[metadataKey: LogKey.client] = "\(configuration.clientID)"
        self.logger = logger
        self.shared = ClientShared(publishWindow: configuration.publishWindow)
    }

    /// Starts the thread and suspends until it has ended; to be called once.
    ///
    /// Returns after `stop`. Throws `MosquittoError` when the configuration is invalid or the client ran before. Cancellation
    /// drops the socket at once, unacknowledged and without DISCONNECT, so that the broker publishes the will, and throws
    /// `CancellationError`.
    ///
    /// A client with subscriptions needs a handler, which is made on the thread and lives there.
    package func run(_ makeHandler: (@Sendable () throws -> any DeliveryHandler)? = nil) async throws {
        try await run(adjusting: { _ in }, makeHandler)
    }

    /// Runs with a configuration that `adjust` changes: for what was not known when the client was made.
    package func run(
        adjusting adjust: (inout MosquittoConfiguration) -> Void, _ makeHandler: (@Sendable () throws -> any DeliveryHandler)?
    ) async throws {
        guard try shared.control.start() else { return }
        var configuration = configuration
        adjust(&configuration)
        do {
            try configuration.validate()
        } catch {
            shared.finish()
            throw error
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { [configuration] (continuation: CheckedContinuation<Void, any Error>) in
                let (logger, shared) = (logger, shared)
                do throws(MosquittoError) {
                    try NamedThread.start(name: configuration.threadName, niceness: configuration.niceness) {
                        let result = Result {
                            try shared.loop.run(sleepingOn: shared.wakeUp) {
                                MosquittoLoop(
                                    configuration: configuration, logger: logger, shared: shared, handler: try makeHandler?())
                            }
                        }
                        shared.finish()
                        continuation.resume(with: result)
                    }
                } catch {
                    shared.finish()
                    continuation.resume(throwing: error)
                }
            }
        } onCancel: {
            shared.control.cancel()
        }
    }

    /// The wake-up on which the client's thread sleeps: a signal makes the handler review.
    package var wakeUp: WakeUp { shared.wakeUp }

    /// The pulse of the client's thread; paused while no thread runs, and while the host's name is resolved.
    package var pulse: ThreadPulse { shared.pulse }

    /// Adds messages to the end of the outbox of their priority and returns the ticket of the last.
    ///
    /// The outbox has no bound of its own: the caller bounds it by awaiting `settled`. Messages stay in it, over reconnections,
    /// until the broker has accepted them; one that the broker refuses holds up those of its topic. Messages without a receipt when a
    /// connection ends are published again under a new packet identifier, so every quality of service above 0 means at least
    /// once.
    @discardableResult
    package func enqueue(_ messages: [MQTTMessage], priority: PublishPriority = .normal) -> PublishTicket {
        let ticket = shared.outbox.append(messages, priority: priority)
        if !messages.isEmpty, priority != .urgent || shared.loop.publish() { shared.wakeUp.signal() }
        return ticket
    }

    /// Waits until every message of its priority up to `ticket` is settled: PUBACK or PUBCOMP with success, written for QoS 0, or kept elsewhere.
    ///
    /// Throws `CancellationError` when the calling task is cancelled, `MosquittoError` when the client stops first.
    package func settled(_ ticket: PublishTicket) async throws {
        try await shared.outbox.settled(ticket)
    }

    /// Hands over messages that the broker has refused `attempts` times, or refuses for good, and signals `keeper` when `takeRefused` has
    /// something. Before that, refused messages wait and are tried again without an end.
    package func keepRefused(after attempts: Int, waking keeper: WakeUp) {
        shared.outbox.keepRefused(after: attempts, waking: keeper)
    }

    /// What is to be kept, and what became of messages that were published again, since the last call.
    package func takeRefused() -> RefusedMessages { shared.outbox.withOutboxes { $0.takeRefused() } }

    /// Settles messages of `takeRefused`: they are kept elsewhere, or not needed any more.
    package func kept(_ messages: [RefusedMessage]) {
        guard !messages.isEmpty else { return }
        shared.outbox.withOutboxes { $0.kept(messages) }
    }

    /// Has the messages of a topic handed over from now on, until `reopen`.
    package func close(_ topic: String, because error: MosquittoError) {
        shared.outbox.withOutboxes { $0.close(topic, because: error) }
    }

    /// Publishes messages of a topic again; false, and nothing changes, where one waits to be handed over.
    package func reopen(_ topic: String) -> Bool { shared.outbox.withOutboxes { $0.reopen(topic) } }

    /// Why the broker refused the last expendable message of `priority`; nil once it has accepted one.
    package func expendableRefusal(of priority: PublishPriority) -> MosquittoError? {
        shared.outbox.expendableRefusal(of: priority)
    }

    /// The progress of everything of the ticket's priority up to `ticket`. While that is `waiting`, `sleeper` is signalled once
    /// when it changes; each sleeper waits for one ticket, the last that it passed.
    package func progress(of ticket: PublishTicket, waking sleeper: WakeUp? = nil) -> PublishProgress {
        shared.outbox.progress(of: ticket, waking: sleeper)
    }

    /// Changes the subscriptions of the present connection, beside those of the configuration; without one it does nothing. A refusal is not
    /// reported. For QoS 0 only where the client is to go on reading at any time.
    package func change(_ change: SubscriptionChange) { shared.control.change(change) }

    /// Drops the connection as if it had been lost, unwritten, and connects again after the back-off.
    package func dropConnection() { shared.control.drop() }

    /// Stops the client and waits for its thread: nothing more is read, acknowledgements that the handler releases are written,
    /// the outbox is drained, and DISCONNECT is sent, so that the broker publishes no will.
    ///
    /// Waits up to `drainTimeoutSeconds` for acknowledgements that are held and for receipts; what is still held then is released
    /// by dropping the connection without DISCONNECT. Without a connection it waits 1 s at the most. A client with subscriptions
    /// above QoS 0 receives no receipts meanwhile, as they would be read from the same socket.
    package func stop() async {
        await shared.control.stop()
        shared.finish()
    }

    /// The connection's state at this moment.
    package var state: ConnectionState { shared.states.current }

    /// The current state and then every change; a slow reader misses all but the newest 16.
    package func stateChanges() -> AsyncStream<ConnectionState> {
        shared.states.changes()
    }

    /// Counts since the client was made, for metrics.
    package var statistics: MosquittoStatistics { shared.statistics }
}
