package import GatewayPipeline
import Synchronization
import TelemetryModel

/// The admission that all lanes share: one count of refused messages, one limit for reporting them.
package final class Admission: Sendable {
    private let check: Mutex<AdmissionCheck>

    /// An admission by `policy`.
    package init(policy: AccessPolicy, settings: PipelineSettings) {
        check = Mutex(AdmissionCheck(policy: policy, settings: settings))
    }

    /// Admits the messages of a batch that are for `share`; what is to be published of the others is appended to `refused`.
    func admit(
        _ batch: [ArrivedMessage], for share: StreamShare, at now: GatewayTime, into refused: inout [OutboundMessage]
    ) -> [KnownMessage] {
        var messages: [OutboundMessage] = []
        let known = check.withLock { check in
            batch.compactMap { check.admit($0, for: share, at: now, into: &messages) }
        }
        refused += messages
        return known
    }

    /// Which devices are known.
    package var policy: AccessPolicy {
        get { check.withLock { $0.policy } }
        set { check.withLock { $0.policy = newValue } }
    }

    /// Refused messages, by reason.
    var rejected: [RejectionReason: Int] { check.withLock { $0.rejected } }
}
