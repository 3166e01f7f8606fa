import GatewayPipeline
import Synchronization
import TelemetryModel

/// How requests ended, for the status.
final class AnsweredRequests: Sendable {
    /// The end of a request.
    enum End: String, CaseIterable {
        /// A reply with data.
        case answered
        /// A reply with an error.
        case failed
        /// No reply: no valid reply topic.
        case unanswerable
        /// No reply: too many of its user, or of all.
        case dropped
    }

    private let counts = Mutex<[String: Int]>([:])

    /// Counts one.
    func count(_ end: End) { counts.withLock { $0[end.rawValue, default: 0].addSaturated(1) } }

    /// The counts so far, by their names.
    var snapshot: [String: Int] { counts.withLock { $0 } }
}
