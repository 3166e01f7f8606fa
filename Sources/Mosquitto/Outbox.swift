/// Messages to publish in order, each until its receipt; a pure value.
///
/// Numbers run from 1. Receipts may come out of order (QoS 0 and 1 mixed); `acceptedThrough` never does.
struct Outbox {
    /// The message that is refused, why, and when it is tried again.
    struct Refusal {
        var sequence: UInt64
        var topic: String
        var error: MosquittoError
        var attempts: Int
        var retryAt: MonotonicInstant
    }

    private enum Progress {
        case waiting
        case inFlight
        case accepted
    }

    private var entries: [(message: MQTTMessage, progress: Progress)] = []
    private var head = 0
    private var headSequence: UInt64 = 1
    /// No message before it waits.
    private var cursor: UInt64 = 1
    private var sequences: [Int32: UInt64] = [:]
    private(set) var refusal: Refusal?
    /// Why the broker refused the last expendable message; nil once it has accepted one.
    private(set) var expendableRefusal: MosquittoError?

    /// Messages not yet accepted in order.
    var count: Int { entries.count - head }

    /// Messages handed to the library without a receipt.
    var inFlightCount: Int { sequences.count }

    /// When the refused message is due; nil while nothing is refused or something is in flight.
    var retryAt: MonotonicInstant? { inFlightCount == 0 ? refusal?.retryAt : nil }

    /// Whether a message may wait; false is certain.
    var mayHaveNext: Bool { cursor <= lastSequence }

    /// The last of the messages ever appended.
    var lastSequence: UInt64 { headSequence + UInt64(count) - 1 }

    /// Every message up to here was accepted.
    var acceptedThrough: UInt64 { headSequence - 1 }

    mutating func append(_ messages: [MQTTMessage]) {
        entries.append(contentsOf: messages.lazy.map { ($0, .waiting) })
    }

    /// The next message to publish, as long as fewer than `window` are in flight.
    ///
    /// After a refusal, messages go one at a time until one is accepted, so that the refused one keeps its place.
    mutating func next(at now: MonotonicInstant, window: Int) -> (sequence: UInt64, message: MQTTMessage)? {
        if let refusal {
            guard inFlightCount == 0, now >= refusal.retryAt else { return nil }
        }
        guard inFlightCount < window else { return nil }
        cursor = max(cursor, headSequence)
        while cursor <= lastSequence {
            let entry = entries[index(of: cursor)]
            if entry.progress == .waiting { return (cursor, entry.message) }
            cursor += 1
        }
        return nil
    }

    /// The message was published under this packet identifier.
    mutating func published(_ sequence: UInt64, as packetID: Int32) {
        entries[index(of: sequence)].progress = .inFlight
        sequences[packetID] = sequence
    }

    /// Whether a message of this outbox was published under this packet identifier and awaits its receipt.
    func holds(_ packetID: Int32) -> Bool { sequences[packetID] != nil }

    /// The broker has accepted the message of this packet identifier; false when that was no message of this outbox.
    @discardableResult
    mutating func accepted(_ packetID: Int32) -> Bool {
        guard let sequence = sequences.removeValue(forKey: packetID) else { return false }
        entries[index(of: sequence)].progress = .accepted
        if entries[index(of: sequence)].message.isExpendable { expendableRefusal = nil }
        if refusal?.sequence == sequence { refusal = nil }
        dropAccepted()
        return true
    }

    /// The broker has refused the message of this packet identifier; see `refused(sequence:)`.
    mutating func refused(
        _ packetID: Int32, _ error: MosquittoError, retryAt: (Int) -> MonotonicInstant
    ) -> Refusal? {
        guard let sequence = sequences.removeValue(forKey: packetID) else { return nil }
        return refused(sequence: sequence, error, retryAt: retryAt)
    }

    /// Keeps the message waiting until `retryAt(n)`, n being its refusals in a row; returns the refusal when it is new.
    mutating func refused(
        sequence: UInt64, _ error: MosquittoError, retryAt: (Int) -> MonotonicInstant
    ) -> Refusal? {
        if entries[index(of: sequence)].message.isExpendable {
            entries[index(of: sequence)].progress = .accepted
            expendableRefusal = error
            dropAccepted()
            return nil
        }
        entries[index(of: sequence)].progress = .waiting
        cursor = min(cursor, sequence)
        // Of several refused at once the first is the one to report and to time.
        if let refusal, refusal.sequence < sequence { return nil }
        let isSame = refusal?.sequence == sequence
        let isNews = !isSame || refusal?.error != error
        let attempts = isSame ? (refusal?.attempts ?? 0) + 1 : 1
        let refusal = Refusal(
            sequence: sequence, topic: entries[index(of: sequence)].message.topic, error: error, attempts: attempts,
            retryAt: retryAt(attempts))
        self.refusal = refusal
        return isNews ? refusal : nil
    }

    /// Everything without a receipt waits again, in order.
    mutating func connectionLost() {
        for sequence in sequences.values {
            entries[index(of: sequence)].progress = .waiting
        }
        sequences.removeAll(keepingCapacity: true)
        cursor = headSequence
    }

    private func index(of sequence: UInt64) -> Int { head + Int(sequence - headSequence) }

    private mutating func dropAccepted() {
        while head < entries.count, entries[head].progress == .accepted {
            entries[head].message.payload = []
            head += 1
            headSequence += 1
        }
        if head == entries.count || head >= 1024 && head * 2 >= entries.count {
            entries.removeFirst(head)
            head = 0
        }
    }
}
