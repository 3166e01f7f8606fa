/// A client's outboxes as one: messages of control never wait, and the others never behind those of a lower priority; a pure value.
struct Outboxes {
    /// The place of a message that is about to be published.
    struct Place: Equatable {
        var priority: PublishPriority
        var sequence: UInt64
    }

    /// A message that was sent alone.
    private struct Alone {
        var place: Place
        var at: MonotonicInstant
        var packetID: Int32?
    }

    private var boxes = PerPriority(Outbox())
    private var ordinaryWindow = OrdinaryWindow()
    private let window: Int
    /// After how many refusals messages are handed over; nil for never.
    var attempts: Int?
    /// The message that was sent alone and has no receipt; for a second nothing else is sent.
    private var alone: Alone?

    /// How long a message that was sent alone is answered, or the connection closed because of it.
    private static let aloneTime = Duration.seconds(1)
    /// How long others go before a message that is to be sent alone.
    private static let patience = Duration.milliseconds(250)

    /// Outboxes of which at most `window` messages, those of control aside, may be without a receipt.
    init(window: Int) {
        self.window = window
    }

    /// The outbox of one priority.
    subscript(priority: PublishPriority) -> Outbox {
        _read { yield boxes[priority] }
        _modify { yield &boxes[priority] }
    }

    /// Messages not yet settled in order.
    var count: Int { boxes.reduce(0) { $0 + $1.count } }

    /// The number of messages without a receipt.
    var inFlightCount: Int { boxes.reduce(0) { $0 + $1.inFlightCount } }

    /// How many messages the broker has accepted.
    var acceptedCount: UInt64 { boxes.reduce(0) { $0 + $1.acceptedCount } - writtenCount }

    /// How many messages at QoS 0 were written: whether the broker has them is not known.
    var writtenCount: UInt64 { boxes[.droppable].acceptedCount }

    /// How many messages at QoS 0 were dropped.
    private(set) var droppedCount: UInt64 = 0

    /// How many bytes of messages at QoS 0 may wait.
    private static let mostDroppableBytes = 4 * 1_024 * 1_024

    /// Appends messages to the outbox of a priority.
    mutating func append(_ messages: [MQTTMessage], _ priority: PublishPriority) {
        boxes[priority].append(messages)
        guard priority == .droppable else { return }
        droppedCount += UInt64(boxes[priority].dropWaiting(beyondBytes: Self.mostDroppableBytes))
    }

    /// Whether a message may wait; false is certain.
    private var mayHaveNext: Bool { boxes.reduce(false) { $0 || $1.mayHaveNext } }

    /// The number of messages without a receipt that an urgent one does not wait for.
    private var ordinaryCount: Int {
        boxes[.high].inFlightCount + boxes[.normal].inFlightCount + boxes[.again].inFlightCount
    }

    /// Whether receipts have to be read as soon as they arrive: a message of control awaits its receipt, the time to one is measured, or so
    /// many are outstanding that the window may fill.
    var needsReceipts: Bool {
        boxes[.control].inFlightCount > 0 || ordinaryWindow.isMeasuring || alone != nil || inFlightCount >= window / 2
    }

    /// When a message may be published that may not be now; nil where that depends on receipts.
    func retryAt(at now: MonotonicInstant) -> MonotonicInstant? {
        let tried = boxes.reduce(nil) { MonotonicInstant.earlier($0, $1.retryAt) }
        let suspect = suspectsSince.map { $0 + Self.patience }
        let due = MonotonicInstant.earlier(.earlier(tried, alone.map { $0.at + Self.aloneTime }), suspect)
        // What is due already waits for the receipts of others.
        return due.flatMap { $0 <= now && inFlightCount > 0 ? nil : $0 }
    }

    /// Why a topic is refused; the urgent reason first.
    var refusal: MosquittoError? { boxes.reduce(nil) { $0 ?? $1.refusal } }

    private var suspectsSince: MonotonicInstant? { boxes.reduce(nil) { MonotonicInstant.earlier($0, $1.suspectsSince) } }

    /// The next message to publish as far as the window allows; a quarter of it is for urgent ones alone, and the others have
    /// `OrdinaryWindow` besides. Messages of control, and heartbeats, have windows of their own. With `controlOnly` there are none but
    /// those of control.
    ///
    /// A message after which the broker has closed the connection goes alone and last: when no other waits, or those that wait have gone
    /// first for a quarter of a second.
    mutating func next(at now: MonotonicInstant, controlOnly: Bool = false) -> (place: Place, message: MQTTMessage)? {
        guard mayHaveNext else { return nil }
        if let next = next(.control, at: now, window: Self.ownWindow) { return next }
        guard !controlOnly else { return nil }
        if let alone {
            guard now - alone.at >= Self.aloneTime else { return nil }
            self.alone = nil
        }
        let suspectsSince = suspectsSince
        let haveOthersWaited = suspectsSince.map { now - $0 >= Self.patience } ?? false
        if !haveOthersWaited, let next = nextOfOthers(at: now) { return next }
        return suspectsSince == nil ? nil : nextAlone(at: now)
    }

    private mutating func nextOfOthers(at now: MonotonicInstant) -> (place: Place, message: MQTTMessage)? {
        if let next = next(.heartbeat, at: now, window: Self.ownWindow) { return next }
        if let next = next(.urgent, at: now, window: max(1, window - ordinaryCount)) { return next }
        let limit = min(ordinaryWindow.limit, ordinaryShare)
        return next(.high, at: now, window: limit - ordinaryCount + boxes[.high].inFlightCount)
            ?? next(.normal, at: now, window: limit - ordinaryCount + boxes[.normal].inFlightCount)
            ?? next(.again, at: now, window: limit - ordinaryCount + boxes[.again].inFlightCount)
            ?? next(.droppable, at: now, window: window)
    }

    private mutating func next(
        _ priority: PublishPriority, at now: MonotonicInstant, window: Int
    ) -> (place: Place, message: MQTTMessage)? {
        boxes[priority].next(at: now, window: window).map { (Place(priority: priority, sequence: $0.sequence), $0.message) }
    }

    private mutating func nextAlone(at now: MonotonicInstant) -> (place: Place, message: MQTTMessage)? {
        guard inFlightCount == boxes[.control].inFlightCount else { return nil }
        for priority in PublishPriority.allCases {
            guard let next = boxes[priority].nextAlone(at: now) else { continue }
            let place = Place(priority: priority, sequence: next.sequence)
            alone = Alone(place: place, at: now)
            return (place, next.message)
        }
        return nil
    }

    private var ordinaryShare: Int { max(1, min(window - window / 4, window - boxes[.urgent].inFlightCount)) }

    /// The message at `place` was published under this packet identifier.
    mutating func published(_ message: MQTTMessage, at place: Place, as packetID: Int32, at now: MonotonicInstant) {
        boxes[place.priority].published(place.sequence, as: packetID)
        if alone?.place == place { alone?.packetID = packetID }
        // The library itself reports a message without a receipt, when it was written.
        guard place.priority == .high || place.priority == .normal, message.qos != .atMostOnce else { return }
        ordinaryWindow.published(packetID, inFlightCount: ordinaryCount, window: ordinaryShare, at: now)
    }

    private static let ownWindow = 8

    /// The broker has accepted the message of this packet identifier.
    mutating func accepted(_ packetID: Int32, at now: MonotonicInstant) {
        answered(packetID, at: now)
        for priority in PublishPriority.allCases where boxes[priority].accepted(packetID) { return }
    }

    /// The broker has refused the message of this packet identifier; see `Outbox.refused(sequence:)`.
    mutating func refused(_ packetID: Int32, _ error: MosquittoError, at now: MonotonicInstant) -> RefusedTopics.News? {
        answered(packetID, at: now)
        guard let holder = PublishPriority.allCases.first(where: { boxes[$0].holds(packetID) }) else { return nil }
        defer { spreadClosed(from: holder) }
        return boxes[holder].refused(packetID, error, at: now, settlingAfter: attempts)
    }

    /// The library refuses the message at `place`.
    mutating func refused(_ place: Place, _ error: MosquittoError, at now: MonotonicInstant) -> RefusedTopics.News? {
        if alone?.place == place { alone = nil }
        defer { spreadClosed(from: place.priority) }
        return boxes[place.priority].refused(sequence: place.sequence, error, at: now, settlingAfter: attempts)
    }

    private mutating func answered(_ packetID: Int32, at now: MonotonicInstant) {
        ordinaryWindow.answered(packetID, at: now)
        if alone?.packetID == packetID { alone = nil }
    }

    /// Everything without a receipt waits again, in order; `byPeer` where the broker has closed the connection.
    mutating func connectionLost(byPeer: Bool = false, at now: MonotonicInstant) {
        let suspect = alone.flatMap { $0.packetID != nil && now - $0.at < Self.aloneTime ? $0.place : nil }
        alone = nil
        droppedCount += UInt64(boxes[.droppable].dropAll())
        for priority in PublishPriority.allCases where priority != .droppable {
            boxes[priority].connectionLost(
                byPeer: byPeer, alone: suspect?.priority == priority ? suspect?.sequence : nil, at: now, settlingAfter: attempts)
            spreadClosed(from: priority)
        }
        ordinaryWindow.connectionLost()
    }

    // MARK: Messages that are kept elsewhere

    /// The priorities whose messages may be refused and kept.
    private static let keptPriorities: [PublishPriority] = [.urgent, .high, .normal]

    /// A topic is refused whatever the priority of its messages.
    private mutating func spreadClosed(from priority: PublishPriority) {
        let closed = boxes[priority].takeClosed()
        for (topic, error) in closed { close(topic, because: error) }
    }

    /// Has every message of a topic handed over from now on.
    mutating func close(_ topic: String, because error: MosquittoError) {
        for priority in Self.keptPriorities { boxes[priority].close(topic, because: error) }
    }

    /// Publishes the messages of a topic again, unless one waits to be handed over; returns whether it does.
    mutating func reopen(_ topic: String) -> Bool {
        guard !Self.keptPriorities.contains(where: { boxes[$0].hasWaiting(topic) }) else { return false }
        for priority in Self.keptPriorities { boxes[priority].reopen(topic) }
        return true
    }

    /// Whether `takeRefused` returns anything.
    var hasRefused: Bool { boxes.reduce(false) { $0 || $1.hasNews } }

    /// What was handed over, and what became of messages that were published again, since the last call.
    mutating func takeRefused() -> RefusedMessages {
        var taken = RefusedMessages()
        for priority in PublishPriority.allCases {
            taken.messages += boxes[priority].takeHandedOver().map { message in
                var message = message
                message.priority = priority
                return message
            }
            taken.answers += boxes[priority].takeAnswers()
        }
        return taken
    }

    /// Messages that were handed over are kept elsewhere.
    mutating func kept(_ messages: [RefusedMessage]) {
        for message in messages { boxes[message.priority].kept(message.sequence) }
    }
}
