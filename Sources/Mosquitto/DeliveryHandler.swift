/// Receives what a client reads, on the client's thread.
///
/// Every call comes from that thread, and none may block: while one runs, nothing is read or written. What was received is
/// acknowledged as a whole: libmosquitto queues an acknowledgement with each message that it reads, and its next write sends all
/// that are queued.
package protocol DeliveryHandler: AnyObject {
    /// The broker has accepted the connection; nothing has been read from it yet.
    func connected(sessionPresent: Bool)

    /// The connection has ended, and with it every acknowledgement that was not written is lost: the broker delivers those
    /// messages again.
    func disconnected()

    /// Processes messages in the order of their arrival. An error ends the client, unacknowledged, and `run` throws it.
    func receive(_ messages: [MQTTMessage]) throws

    /// Decides what happens next. Called after every batch, after a signal to `MosquittoClient.wakeUp`, at the time that
    /// the last decision named, and possibly in between. An error ends the client as in `receive`.
    func review(isStopping: Bool) throws -> DeliveryDecision

    /// The client has stopped and its connection is closed. May block; `run` returns afterwards.
    func stopped()
}

extension DeliveryHandler {
    /// Does nothing.
    package func connected(sessionPresent: Bool) {}

    /// Does nothing.
    package func disconnected() {}

    /// Does nothing.
    package func stopped() {}
}

/// What a client does with its connection until the next review.
package struct DeliveryDecision: Sendable {
    /// What is done with the acknowledgements of everything received so far.
    package enum Acknowledgements: Sendable {
        /// They are held, and so is everything else that the client would write.
        case hold
        /// They are written: the processing is committed.
        case write
        /// The connection is dropped unacknowledged, so that the broker delivers the messages again after the back-off.
        case release
    }

    /// What is done with the acknowledgements.
    package var acknowledgements: Acknowledgements
    /// Whether more messages may be read. Without it and with `hold` SUBACK is not read either: a handler that holds for ever must allow it.
    package var mayRead: Bool
    /// When the next review is due at the latest; nil when only events matter.
    package var reviewAt: MonotonicInstant?
    /// From when on the client may wait behind a batch, as `gatherMilliseconds` says; nil for always.
    package var gathersFrom: MonotonicInstant?

    /// A decision.
    package init(
        _ acknowledgements: Acknowledgements, mayRead: Bool = true, reviewAt: MonotonicInstant? = nil,
        gathersFrom: MonotonicInstant? = nil
    ) {
        self.gathersFrom = gathersFrom
        self.acknowledgements = acknowledgements
        self.mayRead = mayRead
        self.reviewAt = reviewAt
    }
}

/// Acknowledges messages as soon as a closure has processed them.
package final class ImmediateHandler: DeliveryHandler {
    private let take: ([MQTTMessage]) throws -> Void
    private let whenDisconnected: () -> Void

    /// Passes every batch to `take`; an error that it throws ends the client. `whenDisconnected` is called when a connection
    /// has ended.
    package init(_ take: @escaping ([MQTTMessage]) throws -> Void, whenDisconnected: @escaping () -> Void = {}) {
        (self.take, self.whenDisconnected) = (take, whenDisconnected)
    }

    /// Passes the messages to the closure.
    package func receive(_ messages: [MQTTMessage]) throws { try take(messages) }

    /// Calls the other closure.
    package func disconnected() { whenDisconnected() }

    /// Always writes the acknowledgements.
    package func review(isStopping: Bool) -> DeliveryDecision { DeliveryDecision(.write) }
}
