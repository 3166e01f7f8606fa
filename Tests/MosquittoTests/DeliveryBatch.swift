import Mosquitto
import Synchronization

/// Messages that a test has read and not yet acknowledged.
///
/// While a batch is open its client reads and writes nothing. Settle it exactly once, from any thread; later calls do nothing,
/// and a batch dropped unsettled is released. Batches that are held are settled with the one after them.
final class DeliveryBatch: Sendable {
    /// What is done with the acknowledgements.
    enum Settlement: Sendable, Equatable {
        case commit
        case hold(until: MonotonicInstant)
        case release
    }

    /// The messages in the order of their arrival; empty when the time of those that are held is over.
    let messages: [MQTTMessage]

    private let isSettled = Atomic(false)
    private let onSettled: @Sendable (Settlement) -> Void

    init(messages: [MQTTMessage], onSettled: @escaping @Sendable (Settlement) -> Void) {
        self.messages = messages
        self.onSettled = onSettled
    }

    deinit { settle(.release) }

    /// Writes the acknowledgements, those of held batches included. Call it once the processing is committed.
    func commit() { settle(.commit) }

    /// Goes on reading and keeps the acknowledgements back. Another batch, if need be an empty one, is handed over at `deadline` at
    /// the latest; committing it commits all that were held.
    func hold(until deadline: MonotonicInstant) { settle(.hold(until: deadline)) }

    /// Drops the connection unacknowledged, with all that were held, so that the broker delivers the messages again after the back-off.
    func release() { settle(.release) }

    private func settle(_ settlement: Settlement) {
        guard !isSettled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        onSettled(settlement)
    }
}
