import Synchronization

/// What a client and its thread share; every part has its own lock.
final class ClientShared: Sendable {
    let wakeUp: WakeUp
    let control: LoopControl
    let outbox: PublishQueue
    let loop = LoopAccess()
    let states = ConnectionStates()
    let pulse = ThreadPulse()
    private let counts = Mutex(MosquittoStatistics())

    init(publishWindow: Int) {
        wakeUp = WakeUp()
        control = LoopControl(wakeUp: wakeUp)
        outbox = PublishQueue(window: publishWindow, wakeUp: wakeUp)
    }

    var statistics: MosquittoStatistics {
        var statistics = counts.withLock { $0 }
        outbox.describe(in: &statistics)
        return statistics
    }

    func count(_ change: (inout MosquittoStatistics) -> Void) {
        counts.withLock { change(&$0) }
    }

    /// Ends every wait; nothing happens on the client after this.
    func finish() {
        pulse.pause()
        outbox.close()
        states.announce(.stopped)
        control.finish()
    }
}

/// The counts of a client since it was created.
package struct MosquittoStatistics: Sendable, Equatable {
    /// Connections that reached `connected`.
    package var connections = 0

    /// The protocol version of the last connection; nil before the first.
    package var version: MosquittoConfiguration.ProtocolVersion?

    /// The broker of the last connection; nil before the first.
    package var broker: BrokerAddress?

    /// What the broker of the last connection grants; nil before the first, and on MQTT 3.1.1.
    package var terms: BrokerTerms?

    /// Messages handed over in batches, repeated deliveries included.
    package var messagesRead = 0

    /// Batches whose acknowledgements were written.
    package var batchesCommitted = 0

    /// Batches released, dropped unsettled or abandoned by `stop`.
    package var batchesReleased = 0

    /// Messages the broker has accepted.
    package var messagesAccepted: UInt64 = 0

    /// Messages at QoS 0 that were written to the connection.
    package var messagesWritten: UInt64 = 0

    /// Messages at QoS 0 that were dropped: without a connection, or as too many waited.
    package var messagesDropped: UInt64 = 0

    /// Messages in the outbox: neither accepted nor kept elsewhere.
    package var outboxCount = 0

    /// Why a topic is refused whose messages wait; nil while none is.
    package var refusal: MosquittoError?
}
