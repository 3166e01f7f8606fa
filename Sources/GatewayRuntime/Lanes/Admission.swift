package import GatewayPipeline
import Synchronization
import TelemetryModel

/// The admission check that all lanes share: one count of rejected messages, one limit of published rejections.
package final class Admission: Sendable {
    private struct Published {
        var policy: AccessPolicy
        var rejected: [RejectionReason: Int] = [:]
    }

    private let check: Mutex<AdmissionCheck>
    /// What others read of the check. A lane holds its lock for an assignment, and that of the check for a whole batch; lanes may
    /// have a low priority, so nobody else waits for that one. Taken inside of the other lock.
    private let published: Mutex<Published>

    /// An admission by `policy`.
    package init(policy: AccessPolicy, settings: PipelineSettings) {
        check = Mutex(AdmissionCheck(policy: policy, settings: settings))
        published = Mutex(Published(policy: policy))
    }

    /// Admits the messages of a batch that are of `share`; the messages about rejected ones are appended to `refused`.
    func admit(
        _ batch: [ArrivedMessage], for share: StreamShare, at now: GatewayTime, into refused: inout [OutboundMessage]
    ) -> [KnownMessage] {
        var messages: [OutboundMessage] = []
        let known = check.withLock { check in
            let before = check.rejected
            let known = batch.compactMap { check.admit($0, for: share, at: now, into: &messages) }
            let after = check.rejected
            if after != before { published.withLock { $0.rejected = after } }
            return known
        }
        refused += messages
        return known
    }

    /// The policy, with the known devices.
    package var policy: AccessPolicy {
        get { published.withLock { $0.policy } }
        set {
            check.withLock { check in
                check.policy = newValue
                published.withLock { $0.policy = newValue }
            }
        }
    }

    /// Rejected messages, by reason.
    var rejected: [RejectionReason: Int] { published.withLock { $0.rejected } }
}
