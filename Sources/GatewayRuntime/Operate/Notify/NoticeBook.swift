import Logging
import Mosquitto
import Synchronization
import TelemetryModel

/// The alarms that somebody is to be told of, on disk and in memory: filled by the connection, emptied by commands.
final class NoticeBook: Sendable {
    private let store: NoticeStore
    private let root: String
    private let least: AlarmSeverity
    private let logger: Logger
    private let queue: Mutex<NoticeQueue>

    /// The book in `store`, of alarms of at least the severity `least` below `root`.
    init(_ store: NoticeStore, root: String, least: AlarmSeverity, logger: Logger) throws {
        (self.store, self.root, self.least, self.logger) = (store, root, least, logger)
        var waiting = NoticeQueue()
        for notice in try store.waiting() { _ = waiting.add(notice) }
        queue = Mutex(waiting)
    }

    /// How many messages wait.
    var count: Int { queue.withLock { $0.count } }
    /// Whether more messages may be read.
    var hasRoom: Bool { queue.withLock { $0.hasRoom } }
    /// When a later try is due.
    var nextDue: MonotonicInstant? { queue.withLock { $0.nextDue } }

    /// Stores what somebody is to be told of; what was stored is on disk when this returns.
    func take(_ messages: [MQTTMessage]) throws {
        let added = try store.write { transaction in
            try messages.compactMap { try take($0, in: transaction) }
        }
        guard !added.isEmpty else { return }
        let omitted = queue.withLock { queue in added.compactMap { queue.add($0) } }
        guard !omitted.isEmpty else { return }
        try store.write { transaction in for notice in omitted { try transaction.remove(notice.number) } }
        for notice in omitted {
            logger.error(
                "an alarm message is left out: the command has failed for it, and newer ones of its topic wait",
                metadata: ["topic": "\(notice.topic)", "waiting": "\(NoticeQueue.mostOfTopic)"])
        }
    }

    private func take(_ message: MQTTMessage, in transaction: NoticeStore.Transaction) throws -> NoticeQueue.Notice? {
        let topic = message.topic
        guard !message.payload.isEmpty else {
            try transaction.set(nil, of: topic)
            return nil
        }
        let alarm: AlarmMessage
        do throws(AlarmMessage.Fault) {
            alarm = try AlarmMessage(topic: topic, payload: message.payload, root: root)
        } catch {
            logger.warning("an alarm message cannot be read", metadata: ["topic": "\(topic)", "reason": "\(error)"])
            return nil
        }
        guard alarm.severity >= least else { return nil }
        let before = try transaction.seen(topic)
        var seen = before
        let isToBeTold = seen.take(alarm)
        if seen != before { try transaction.set(seen, of: topic) }
        guard isToBeTold else { return nil }
        let number = try transaction.add(topic, alarm.severity, message.payload)
        return NoticeQueue.Notice(number: number, topic: topic, severity: alarm.severity)
    }

    /// A message for which a command is to be started.
    struct Due: Sendable {
        var notice: NoticeQueue.Notice
        var alarm: AlarmMessage
        var payload: [UInt8]
    }

    /// Takes the next message that is due; nil when there is none, or as many commands run as may.
    func next(at now: MonotonicInstant) throws -> Due? {
        while let notice = queue.withLock({ $0.next(at: now) }) {
            if let payload = try store.payload(notice.number),
                let alarm = try? AlarmMessage(topic: notice.topic, payload: payload, root: root)
            {
                return Due(notice: notice, alarm: alarm, payload: payload)
            }
            logger.error("a stored alarm message cannot be read and is removed", metadata: ["topic": "\(notice.topic)"])
            try told(notice)
        }
        return nil
    }

    /// Removes a message whose command has succeeded.
    func told(_ notice: NoticeQueue.Notice) throws {
        try store.write { try $0.remove(notice.number) }
        queue.withLock { $0.told(notice) }
    }

    /// Leaves a message for a later try; returns the pause in s, and how many tries there were.
    func failed(_ notice: NoticeQueue.Notice, at now: MonotonicInstant) -> (pause: Double, tries: Int) {
        queue.withLock { $0.failed(notice, at: now) }
    }
}

/// Stores the alarm messages of a connection, and acknowledges what is stored.
final class NoticeHandler: DeliveryHandler {
    private let book: NoticeBook
    private let wakeUp: WakeUp
    private let logger: Logger
    private var hasFailed = false
    /// How often it is looked whether there is room again, in s.
    private static let roomSeconds = 1.0

    /// A handler that signals `wakeUp` after what it has stored.
    init(_ book: NoticeBook, waking wakeUp: WakeUp, logger: Logger) {
        (self.book, self.wakeUp, self.logger) = (book, wakeUp, logger)
    }

    func receive(_ messages: [MQTTMessage]) {
        do {
            try book.take(messages)
            FaultPoint.noticed.reach()
        } catch {
            // Not acknowledged: the broker delivers them again.
            hasFailed = true
            logger.error("alarm messages cannot be stored: the connection is dropped", metadata: ["reason": "\(error)"])
        }
        wakeUp.signal()
    }

    func review(isStopping: Bool) -> DeliveryDecision {
        if hasFailed {
            hasFailed = false
            return DeliveryDecision(.release)
        }
        let hasRoom = book.hasRoom
        return DeliveryDecision(.write, mayRead: hasRoom, reviewAt: hasRoom ? nil : .now + Self.roomSeconds)
    }
}
