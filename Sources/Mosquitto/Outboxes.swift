/// A client's outboxes as one: messages of control never wait, and the others never behind those of a lower priority; a pure value.
struct Outboxes {
    /// The place of a message that is about to be published.
    struct Place {
        var priority: PublishPriority
        var sequence: UInt64
    }

    private var boxes = PerPriority(Outbox())
    private var ordinaryWindow = OrdinaryWindow()
    private let window: Int

    /// Outboxes of which at most `window` messages, those of control aside, may be without a receipt.
    init(window: Int) {
        self.window = window
    }

    /// The outbox of one priority.
    subscript(priority: PublishPriority) -> Outbox {
        _read { yield boxes[priority] }
        _modify { yield &boxes[priority] }
    }

    /// Messages not yet accepted in order.
    var count: Int { boxes.reduce(0) { $0 + $1.count } }

    /// The number of messages without a receipt.
    var inFlightCount: Int { boxes.reduce(0) { $0 + $1.inFlightCount } }

    /// Whether a message may wait; false is certain.
    private var mayHaveNext: Bool { boxes.reduce(false) { $0 || $1.mayHaveNext } }

    /// The number of messages without a receipt that an urgent one does not wait for.
    private var ordinaryCount: Int { boxes[.high].inFlightCount + boxes[.normal].inFlightCount }

    /// Whether receipts have to be read as soon as they arrive: a message of control awaits its receipt, the time to one is measured, or so
    /// many are outstanding that the window may fill.
    var needsReceipts: Bool {
        boxes[.control].inFlightCount > 0 || ordinaryWindow.isMeasuring || inFlightCount >= window / 2
    }

    /// When the next refused message is due.
    var retryAt: MonotonicInstant? { boxes.reduce(nil) { .earlier($0, $1.retryAt) } }

    /// Why publishing is held up; the urgent reason first.
    var refusal: Outbox.Refusal? { boxes[.urgent].refusal ?? boxes[.high].refusal ?? boxes[.normal].refusal }

    /// The next message to publish as far as the window allows; a quarter of it is for urgent ones alone, and the others have
    /// `OrdinaryWindow` besides. Messages of control have a window of their own. With `controlOnly` there are no others.
    mutating func next(at now: MonotonicInstant, controlOnly: Bool = false) -> (place: Place, message: MQTTMessage)? {
        guard mayHaveNext else { return nil }
        if let next = next(.control, at: now, window: Self.controlWindow) { return next }
        guard !controlOnly else { return nil }
        if let next = next(.urgent, at: now, window: max(1, window - ordinaryCount)) { return next }
        let limit = min(ordinaryWindow.limit, ordinaryShare)
        return next(.high, at: now, window: limit - boxes[.normal].inFlightCount)
            ?? next(.normal, at: now, window: limit - boxes[.high].inFlightCount)
    }

    private mutating func next(
        _ priority: PublishPriority, at now: MonotonicInstant, window: Int
    ) -> (place: Place, message: MQTTMessage)? {
        boxes[priority].next(at: now, window: window).map { (Place(priority: priority, sequence: $0.sequence), $0.message) }
    }

    private var ordinaryShare: Int { max(1, min(window - window / 4, window - boxes[.urgent].inFlightCount)) }

    /// The message at `place` was published under this packet identifier.
    mutating func published(_ message: MQTTMessage, at place: Place, as packetID: Int32, at now: MonotonicInstant) {
        boxes[place.priority].published(place.sequence, as: packetID)
        // The library itself reports a message without a receipt, when it was written.
        guard place.priority == .high || place.priority == .normal, message.qos != .atMostOnce else { return }
        ordinaryWindow.published(packetID, inFlightCount: ordinaryCount, window: ordinaryShare, at: now)
    }

    private static let controlWindow = 8

    /// The broker has accepted the message of this packet identifier.
    mutating func accepted(_ packetID: Int32, at now: MonotonicInstant) {
        ordinaryWindow.answered(packetID, at: now)
        for priority in PublishPriority.allCases where boxes[priority].accepted(packetID) { return }
    }

    /// The broker has refused the message of this packet identifier; see `Outbox.refused(sequence:)`.
    mutating func refused(
        _ packetID: Int32, _ error: MosquittoError, at now: MonotonicInstant, retryAt: (Int) -> MonotonicInstant
    ) -> Outbox.Refusal? {
        ordinaryWindow.answered(packetID, at: now)
        guard let holder = PublishPriority.allCases.first(where: { boxes[$0].holds(packetID) }) else { return nil }
        return boxes[holder].refused(packetID, error, retryAt: retryAt)
    }

    /// Everything without a receipt waits again, in order.
    mutating func connectionLost() {
        for priority in PublishPriority.allCases { boxes[priority].connectionLost() }
        ordinaryWindow.connectionLost()
    }
}
