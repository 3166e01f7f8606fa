import Mosquitto
import Synchronization

/// Hands every batch to a test, which settles it.
final class MailboxHandler: DeliveryHandler {
    private let mailbox: BatchMailbox
    private let whenDisconnected: @Sendable () -> Void
    private var heldUntil: MonotonicInstant?

    init(_ mailbox: BatchMailbox, whenDisconnected: @escaping @Sendable () -> Void) {
        (self.mailbox, self.whenDisconnected) = (mailbox, whenDisconnected)
    }

    func receive(_ messages: [MQTTMessage]) { mailbox.offer(messages) }

    func review(isStopping: Bool) -> DeliveryDecision {
        if isStopping { mailbox.noteStop() }
        if mailbox.isOpen {
            switch mailbox.takeSettlement() {
            case nil: return DeliveryDecision(.hold, mayRead: false)
            case .commit:
                heldUntil = nil
                return DeliveryDecision(.write)
            case .release:
                heldUntil = nil
                return DeliveryDecision(.release)
            case .hold(let deadline): heldUntil = min(heldUntil ?? deadline, deadline)
            }
        }
        guard let heldUntil else { return DeliveryDecision(.write) }
        guard isStopping || heldUntil <= .now else { return DeliveryDecision(.hold, reviewAt: heldUntil) }
        mailbox.offer([])
        return DeliveryDecision(.hold, mayRead: false)
    }

    func disconnected() {
        heldUntil = nil
        mailbox.withdraw()
        whenDisconnected()
    }
}

/// The hand-over of one batch at a time from the thread to its consumer, and of the settlement back.
final class BatchMailbox: Sendable {
    private struct Contents {
        /// Counts batches, so that settling one that was withdrawn changes nothing.
        var number = 0
        var isOpen = false
        var offered: [MQTTMessage]?
        var settlement: DeliveryBatch.Settlement?
        var isClosed = false
        var hasSeenStop = false
        var waiters: [(id: Int, continuation: CheckedContinuation<DeliveryBatch?, Never>)] = []
        var nextID = 0
    }

    private let contents = Mutex(Contents())
    private let wakeUp: WakeUp

    init(wakeUp: WakeUp) {
        self.wakeUp = wakeUp
    }

    // MARK: The thread's side

    /// Whether a batch was offered and not yet settled or withdrawn.
    var isOpen: Bool { contents.withLock { $0.isOpen } }

    /// Opens a batch; the one before must be settled or withdrawn.
    func offer(_ messages: [MQTTMessage]) {
        let (waiter, number) = contents.withLock { contents -> (CheckedContinuation<DeliveryBatch?, Never>?, Int) in
            contents.number += 1
            contents.isOpen = true
            contents.settlement = nil
            guard !contents.waiters.isEmpty else {
                contents.offered = messages
                return (nil, contents.number)
            }
            return (contents.waiters.removeFirst().continuation, contents.number)
        }
        waiter?.resume(returning: batch(messages, number))
    }

    /// Whether the thread has received the stop request.
    var hasSeenStop: Bool { contents.withLock { $0.hasSeenStop } }

    func noteStop() { contents.withLock { $0.hasSeenStop = true } }

    /// The settlement of the open batch, once.
    func takeSettlement() -> DeliveryBatch.Settlement? {
        contents.withLock { contents in
            guard let settlement = contents.settlement else { return nil }
            contents.settlement = nil
            contents.isOpen = false
            return settlement
        }
    }

    /// Gives up the open batch: settling it changes nothing from here on.
    func withdraw() {
        contents.withLock { contents in
            contents.number += 1
            contents.isOpen = false
            contents.offered = nil
            contents.settlement = nil
        }
    }

    /// Ends the hand-over: everyone waiting, now or later, gets nil.
    func close() {
        let waiters = contents.withLock { contents in
            contents.isClosed = true
            defer { contents.waiters = [] }
            return contents.waiters
        }
        for waiter in waiters { waiter.continuation.resume(returning: nil) }
    }

    // MARK: The consumer's side

    func next() async -> DeliveryBatch? {
        let id = contents.withLock { contents in
            defer { contents.nextID += 1 }
            return contents.nextID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                register(continuation, id: id)
            }
        } onCancel: {
            let waiter = contents.withLock { contents in
                contents.waiters.firstIndex { $0.id == id }.map { contents.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume(returning: nil)
        }
    }

    private func register(_ continuation: CheckedContinuation<DeliveryBatch?, Never>, id: Int) {
        enum Outcome {
            case wait
            case nothing
            case batch([MQTTMessage], Int)
        }
        let outcome = contents.withLock { contents -> Outcome in
            // Cancellation is checked under the lock that onCancel takes, so that one of the two observes the other.
            if Task.isCancelled { return .nothing }
            if let messages = contents.offered {
                contents.offered = nil
                return .batch(messages, contents.number)
            }
            if contents.isClosed { return .nothing }
            contents.waiters.append((id, continuation))
            return .wait
        }
        switch outcome {
        case .wait: break
        case .nothing: continuation.resume(returning: nil)
        case .batch(let messages, let number): continuation.resume(returning: batch(messages, number))
        }
    }

    private func batch(_ messages: [MQTTMessage], _ number: Int) -> DeliveryBatch {
        DeliveryBatch(messages: messages) { [self] settlement in
            contents.withLock { contents in
                if contents.number == number { contents.settlement = settlement }
            }
            wakeUp.signal()
        }
    }
}
