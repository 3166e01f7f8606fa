import Synchronization

/// Messages that were read and not yet acknowledged.
///
/// While a batch is open its client reads and writes nothing. Settle it exactly once, from any thread; later calls do nothing,
/// and a batch dropped unsettled is released.
package final class DeliveryBatch: Sendable {
    /// What becomes of the acknowledgements.
    enum Settlement: Sendable {
        case commit
        case release
    }

    /// The messages in the order of their arrival, never empty.
    package let messages: [MQTTMessage]

    private let isSettled = Atomic(false)
    private let onSettled: @Sendable (Settlement) -> Void

    init(messages: [MQTTMessage], onSettled: @escaping @Sendable (Settlement) -> Void) {
        self.messages = messages
        self.onSettled = onSettled
    }

    deinit { settle(.release) }

    /// Lets the acknowledgements leave. Call it once what was derived is safe.
    package func commit() { settle(.commit) }

    /// Drops the connection unacknowledged, so that the broker delivers the messages again after the back-off.
    package func release() { settle(.release) }

    private func settle(_ settlement: Settlement) {
        guard !isSettled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        onSettled(settlement)
    }
}
