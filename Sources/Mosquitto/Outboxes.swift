/// A client's outboxes as one: messages of control never wait, urgent ones never behind normal ones; a pure value.
struct Outboxes {
    /// The place of a message that is about to be published.
    struct Place {
        var priority: PublishPriority
        var sequence: UInt64
    }

    private var control = Outbox()
    private var urgent = Outbox()
    private var normal = Outbox()

    /// The outbox of one priority.
    subscript(priority: PublishPriority) -> Outbox {
        _read {
            switch priority {
            case .control: yield control
            case .urgent: yield urgent
            case .normal: yield normal
            }
        }
        _modify {
            switch priority {
            case .control: yield &control
            case .urgent: yield &urgent
            case .normal: yield &normal
            }
        }
    }

    /// Messages not yet accepted in order.
    var count: Int { control.count + urgent.count + normal.count }

    /// The number of messages without a receipt.
    var inFlightCount: Int { control.inFlightCount + urgent.inFlightCount + normal.inFlightCount }

    /// Whether a message of control is without a receipt.
    var awaitsControl: Bool { control.inFlightCount > 0 }

    /// When the next refused message is due.
    var retryAt: ContinuousClock.Instant? { .earlier(control.retryAt, .earlier(urgent.retryAt, normal.retryAt)) }

    /// Why publishing is held up; the urgent reason first.
    var refusal: Outbox.Refusal? { urgent.refusal ?? normal.refusal }

    /// The next message to publish while fewer than `window` are in flight; a quarter of the window is for urgent ones alone. Messages of
    /// control have a window of their own. With `controlOnly` there are no others.
    mutating func next(
        at now: ContinuousClock.Instant, window: Int, controlOnly: Bool = false
    ) -> (place: Place, message: MQTTMessage)? {
        if let next = control.next(at: now, window: Self.controlWindow) {
            return (Place(priority: .control, sequence: next.sequence), next.message)
        }
        guard !controlOnly else { return nil }
        if let next = urgent.next(at: now, window: max(1, window - normal.inFlightCount)) {
            return (Place(priority: .urgent, sequence: next.sequence), next.message)
        }
        let share = max(1, min(window - window / 4, window - urgent.inFlightCount))
        return normal.next(at: now, window: share).map { (Place(priority: .normal, sequence: $0.sequence), $0.message) }
    }

    private static let controlWindow = 8

    /// The broker has accepted the message of this packet identifier.
    mutating func accepted(_ packetID: Int32) {
        if !control.accepted(packetID), !urgent.accepted(packetID) { normal.accepted(packetID) }
    }

    /// The broker has refused the message of this packet identifier; see `Outbox.refused(sequence:)`.
    mutating func refused(
        _ packetID: Int32, _ error: MosquittoError, retryAt: (Int) -> ContinuousClock.Instant
    ) -> Outbox.Refusal? {
        if control.holds(packetID) { return control.refused(packetID, error, retryAt: retryAt) }
        return urgent.holds(packetID)
            ? urgent.refused(packetID, error, retryAt: retryAt) : normal.refused(packetID, error, retryAt: retryAt)
    }

    /// Everything without a receipt waits again, in order.
    mutating func connectionLost() {
        control.connectionLost()
        urgent.connectionLost()
        normal.connectionLost()
    }
}
