import Logging
import Mosquitto
import Synchronization
import GatewayPipeline
import TelemetryModel

/// The alarms that somebody is to be told of, on disk and in memory: filled by the connection, emptied by commands.
final class NoticeBook: Sendable {
    private let store: NoticeStore
    private let root: String
    private let least: AlarmSeverity
    private let logger: Logger
    private let queue: Mutex<NoticeQueue>
    /// Messages whose command has succeeded, and which could not be removed from the store yet.
    private let leftovers = Mutex<[Int64]>([])

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
                "the oldest message of an alarm is left out: nobody was told of it yet, and too many newer ones wait",
                metadata: [
                    "topic": "\(notice.topic)", "severity": "\(notice.severity)", "waiting": "\(NoticeQueue.mostOfTopic)",
                ])
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
            told(notice)
        }
        return nil
    }

    /// Removes a message whose command has succeeded. Where the store cannot be written, it is removed later; after a restart before that the
    /// command runs again, with the same id.
    func told(_ notice: NoticeQueue.Notice) {
        let numbers = leftovers.withLock { $0 } + [notice.number]
        do {
            try store.write { transaction in for number in numbers { try transaction.remove(number) } }
            leftovers.withLock { $0 = [] }
        } catch {
            leftovers.withLock { $0 = numbers }
            logger.error(
                "what was told cannot be removed from notify.stateDirectory, and is told again after a restart",
                metadata: ["topic": "\(notice.topic)", "reason": "\(error)"])
        }
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
    /// From when on messages are read again after some could not be stored.
    private var retry: (at: MonotonicInstant, pause: Double)?
    /// How often it is looked whether there is room again, in s.
    private static let roomSeconds = 1.0
    private static let longestPause = 60.0

    /// A handler that signals `wakeUp` after what it has stored.
    init(_ book: NoticeBook, waking wakeUp: WakeUp, logger: Logger) {
        (self.book, self.wakeUp, self.logger) = (book, wakeUp, logger)
    }

    func receive(_ messages: [MQTTMessage]) {
        do {
            try book.take(messages)
            FaultPoint.noticed.reach()
            retry = nil
        } catch {
            // Not acknowledged: the broker delivers them again.
            hasFailed = true
            let pause = min(Self.longestPause, (retry?.pause ?? 0.5) * 2)
            retry = (.now + pause, pause)
            logger.error(
                "alarm messages cannot be stored in notify.stateDirectory: nobody is told of them yet",
                metadata: ["reason": "\(error)", "retry_seconds": "\(Int(pause))"])
        }
        wakeUp.signal()
    }

    func review(isStopping: Bool) -> DeliveryDecision {
        if hasFailed {
            hasFailed = false
            return DeliveryDecision(.release)
        }
        if let due = retry?.at, due > .now { return DeliveryDecision(.write, mayRead: false, reviewAt: due) }
        let hasRoom = book.hasRoom
        return DeliveryDecision(.write, mayRead: hasRoom, reviewAt: hasRoom ? nil : .now + Self.roomSeconds)
    }
}
