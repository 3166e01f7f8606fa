/// A client's outboxes as one: messages of control never wait, and the others never behind those of a lower priority; a pure value.
struct Outboxes {
    /// The place of a message that is about to be published.
    struct Place {
        var priority: PublishPriority
        var sequence: UInt64
    }

    private var control = Outbox()
    private var urgent = Outbox()
    private var high = Outbox()
    private var normal = Outbox()
    private var ordinaryWindow = OrdinaryWindow()
    private let window: Int

    /// Outboxes of which at most `window` urgent and normal messages may be without a receipt.
    init(window: Int) {
        self.window = window
    }

    /// The outbox of one priority.
    subscript(priority: PublishPriority) -> Outbox {
        _read {
            switch priority {
            case .control: yield control
            case .urgent: yield urgent
            case .high: yield high
            case .normal: yield normal
            }
        }
        _modify {
            switch priority {
            case .control: yield &control
            case .urgent: yield &urgent
            case .high: yield &high
            case .normal: yield &normal
            }
        }
    }

    /// Messages not yet accepted in order.
    var count: Int { control.count + urgent.count + high.count + normal.count }

    /// The number of messages without a receipt.
    var inFlightCount: Int { control.inFlightCount + urgent.inFlightCount + ordinaryCount }

    /// The number of messages without a receipt that an urgent one does not wait for.
    private var ordinaryCount: Int { high.inFlightCount + normal.inFlightCount }

    /// Whether receipts have to be read as soon as they arrive: a message of control awaits its receipt, the time to one is measured, or so
    /// many are outstanding that the window may fill.
    var needsReceipts: Bool {
        control.inFlightCount > 0 || ordinaryWindow.isMeasuring || inFlightCount >= window / 2
    }

    /// When the next refused message is due.
    var retryAt: ContinuousClock.Instant? {
        .earlier(control.retryAt, .earlier(urgent.retryAt, .earlier(high.retryAt, normal.retryAt)))
    }

    /// Why publishing is held up; the urgent reason first.
    var refusal: Outbox.Refusal? { urgent.refusal ?? high.refusal ?? normal.refusal }

    /// The next message to publish as far as the window allows; a quarter of it is for urgent ones alone, and the others have
    /// `OrdinaryWindow` besides. Messages of control have a window of their own. With `controlOnly` there are no others.
    mutating func next(at now: ContinuousClock.Instant, controlOnly: Bool = false) -> (place: Place, message: MQTTMessage)? {
        if let next = control.next(at: now, window: Self.controlWindow) {
            return (Place(priority: .control, sequence: next.sequence), next.message)
        }
        guard !controlOnly else { return nil }
        if let next = urgent.next(at: now, window: max(1, window - ordinaryCount)) {
            return (Place(priority: .urgent, sequence: next.sequence), next.message)
        }
        let limit = min(ordinaryWindow.limit, ordinaryShare)
        if let next = high.next(at: now, window: limit - normal.inFlightCount) {
            return (Place(priority: .high, sequence: next.sequence), next.message)
        }
        return normal.next(at: now, window: limit - high.inFlightCount).map {
            (Place(priority: .normal, sequence: $0.sequence), $0.message)
        }
    }

    private var ordinaryShare: Int { max(1, min(window - window / 4, window - urgent.inFlightCount)) }

    /// The message at `place` was published under this packet identifier.
    mutating func published(_ message: MQTTMessage, at place: Place, as packetID: Int32, at now: ContinuousClock.Instant) {
        self[place.priority].published(place.sequence, as: packetID)
        // The library itself reports a message without a receipt, when it was written.
        guard place.priority == .high || place.priority == .normal, message.qos != .atMostOnce else { return }
        ordinaryWindow.published(packetID, inFlightCount: ordinaryCount, window: ordinaryShare, at: now)
    }

    private static let controlWindow = 8

    /// The broker has accepted the message of this packet identifier.
    mutating func accepted(_ packetID: Int32, at now: ContinuousClock.Instant) {
        ordinaryWindow.answered(packetID, at: now)
        if !control.accepted(packetID), !urgent.accepted(packetID), !high.accepted(packetID) { normal.accepted(packetID) }
    }

    /// The broker has refused the message of this packet identifier; see `Outbox.refused(sequence:)`.
    mutating func refused(
        _ packetID: Int32, _ error: MosquittoError, at now: ContinuousClock.Instant, retryAt: (Int) -> ContinuousClock.Instant
    ) -> Outbox.Refusal? {
        ordinaryWindow.answered(packetID, at: now)
        if control.holds(packetID) { return control.refused(packetID, error, retryAt: retryAt) }
        if urgent.holds(packetID) { return urgent.refused(packetID, error, retryAt: retryAt) }
        if high.holds(packetID) { return high.refused(packetID, error, retryAt: retryAt) }
        return normal.refused(packetID, error, retryAt: retryAt)
    }

    /// Everything without a receipt waits again, in order.
    mutating func connectionLost() {
        control.connectionLost()
        urgent.connectionLost()
        high.connectionLost()
        normal.connectionLost()
        ordinaryWindow.connectionLost()
    }
}
