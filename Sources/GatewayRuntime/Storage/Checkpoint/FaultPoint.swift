import Glibc
import Synchronization

/// The places in the processing of a batch at which a debug build ends on request, to show that nothing is lost there.
///
/// `FATHOM_FAULT=settled:3` ends the process the third time that receipts are in, `FATHOM_FAULT=settled:3:block` blocks the thread
/// from then on. A release build ignores it.
package enum FaultPoint: String, CaseIterable {
    /// A start has processed the journal again and written what that led to; nothing of it is published.
    case replayed
    /// A batch is processed and its messages are handed to egress; its commit has not begun.
    case uncommitted
    /// A batch is processed while the one before it is not committed.
    case ahead
    /// A commit has begun, nothing is settled.
    case processed
    /// What was derived is accepted by the broker, nothing is committed.
    case settled
    /// The transaction is open, everything in it.
    case committing
    /// The transaction is committed, nothing acknowledged.
    case committed
    /// The acknowledgements were let go.
    case acknowledged
    /// `fathom notify` has an alarm message on disk and has not acknowledged it.
    case noticed
    /// A command of `fathom notify` has succeeded, which is not on disk yet.
    case told

    /// Ends the process, as SIGKILL does, or blocks the thread, if that was requested for here.
    @inline(__always)
    package func reach() {
        #if DEBUG
            guard let armed = Self.armed, armed.point == self, Self.countDown() else { return }
            guard armed.blocks else { return _ = kill(getpid(), SIGKILL) }
            while true { pause() }
        #endif
    }

    #if DEBUG
        private static let armed: (point: FaultPoint, times: Int, blocks: Bool)? = {
            guard let value = getenv("FATHOM_FAULT") else { return nil }
            let parts = String(cString: value).split(separator: ":")
            guard let point = parts.first.flatMap({ FaultPoint(rawValue: String($0)) }) else { return nil }
            return (point, parts.count > 1 ? Int(parts[1]) ?? 1 : 1, parts.count > 2 && parts[2] == "block")
        }()
        private static let reached = Atomic(0)

        private static func countDown() -> Bool {
            reached.add(1, ordering: .relaxed).newValue >= armed?.times ?? 1
        }
    #endif
}
