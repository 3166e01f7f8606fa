package import Logging

/// A connection to one broker: reads batches that are acknowledged when settled, and publishes in order.
///
/// One named thread owns libmosquitto; every method here may be called from any thread. The client connects, and connects again,
/// until it is stopped.
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
        self.shared = ClientShared()
    }

    /// Starts the thread and suspends until it has ended; to be called once.
    ///
    /// Returns after `stop`. Throws `MosquittoError` when the configuration cannot work or the client ran before. Cancellation
    /// drops the socket at once, unacknowledged and without DISCONNECT, so that the broker publishes the will, and throws
    /// `CancellationError`.
    package func run() async throws {
        guard try shared.control.start() else { return }
        do {
            try configuration.validate()
        } catch {
            shared.finish()
            throw error
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let (configuration, logger, shared) = (configuration, logger, shared)
                do throws(MosquittoError) {
                    try NamedThread.start(name: configuration.threadName) {
                        let result = MosquittoLoop(configuration: configuration, logger: logger, shared: shared).run()
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

    /// Waits for the next batch; nil once reading has stopped and every batch is settled, or when the calling task is cancelled.
    ///
    /// For one caller at a time. The following batch is not read before this one is settled.
    package func nextBatch() async -> DeliveryBatch? {
        await shared.mailbox.next()
    }

    /// Adds messages to the end of the outbox of their priority and returns the ticket of the last.
    ///
    /// The outbox has no bound of its own: the caller bounds it by awaiting `settled`. Messages stay in it, over reconnections,
    /// until the broker has accepted them; one the broker refuses holds up all that follow. What has no receipt when a connection
    /// ends is published again under a new packet identifier, so every quality of service above 0 means at least once.
    @discardableResult
    package func enqueue(_ messages: [MQTTMessage], priority: PublishPriority = .normal) -> PublishTicket {
        shared.outbox.append(messages, priority: priority)
    }

    /// Waits until the broker has accepted every message of its priority up to `ticket`: PUBACK or PUBCOMP with success, or written for QoS 0.
    ///
    /// Throws `CancellationError` when the calling task is cancelled, `MosquittoError` when the client stops first.
    package func settled(_ ticket: PublishTicket) async throws {
        try await shared.outbox.settled(ticket)
    }

    /// Drops the connection as if it had been lost, unwritten, and connects again after the back-off.
    package func dropConnection() { shared.control.drop() }

    /// Ends reading: no further batch is read, an open one can still be settled, then `nextBatch` returns nil.
    ///
    /// A client with subscriptions gets no receipts from here on: they would be read from the same socket.
    package func stopReading() async {
        shared.control.stopReading()
    }

    /// Ends the client in order and waits for its thread: acknowledgements of settled batches written, outbox drained,
    /// DISCONNECT sent, so that the broker publishes no will.
    ///
    /// Waits up to `drainTimeoutSeconds` for an open batch and for receipts; a batch still open then is released, which costs
    /// the DISCONNECT.
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
