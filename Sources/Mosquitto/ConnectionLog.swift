import Logging
import Synchronization

/// What is logged of the connections to one list of brokers: the first loss, each other reason once a minute, and the return of all. What repeats it
/// is logged at debug, so that an outage does not fill the log with each try of each connection.
final class ConnectionLog: Sendable {
    private struct Contents {
        /// The connections that were established before, by client.
        var known: Set<String> = []
        /// Those that are lost.
        var lost: Set<String> = []
        /// Whether one of the lost was established before: at a start without a broker none was.
        var isOutage = false
        var lostSince: MonotonicInstant?
        /// When a reason was logged last.
        var reasons: [String: MonotonicInstant] = [:]

        /// Ends an outage once nothing is lost any more.
        mutating func noteReturn() {
            if lost.isEmpty { (lostSince, reasons, isOutage) = (nil, [:], false) }
        }
    }

    private static let repeatSeconds = Duration.seconds(60)
    private static let mostReasons = 100
    private let contents = Mutex(Contents())

    /// What is to be logged of a connection that is established.
    enum Return: Equatable {
        /// One more that was not there before.
        case first
        /// One that was there before, while others are still lost, or that was ended on purpose.
        case again
        /// All are there again, after so many seconds.
        case all(connections: Int, seconds: Int)
    }

    /// Notes that the connection of `client` is established.
    func connected(_ client: String, at now: MonotonicInstant) -> Return {
        contents.withLock { contents in
            let isNew = contents.known.insert(client).inserted
            let wasLost = contents.lost.remove(client) != nil
            let (since, isOutage) = (contents.lostSince, contents.isOutage)
            contents.noteReturn()
            guard wasLost, isOutage, contents.lost.isEmpty, let since else { return isNew ? .first : .again }
            return .all(connections: contents.known.count, seconds: Int((now - since) / .seconds(1)))
        }
    }

    /// Notes that `client` makes no connection any more: where its last one was lost, nobody waits for the return of that.
    func ended(_ client: String) {
        contents.withLock { contents in
            guard contents.lost.remove(client) != nil else { return }
            contents.known.remove(client)
            contents.noteReturn()
        }
    }

    /// Notes that the connection of `client` is lost, or could not be made; whether that is to be logged.
    func lost(_ client: String, because reason: String, at now: MonotonicInstant) -> Bool {
        contents.withLock { contents in
            contents.lost.insert(client)
            if contents.known.contains(client) { contents.isOutage = true }
            contents.lostSince = contents.lostSince ?? now
            if let last = contents.reasons[reason], now - last < Self.repeatSeconds { return false }
            if contents.reasons.count >= Self.mostReasons { contents.reasons = [:] }
            contents.reasons[reason] = now
            return true
        }
    }
}
