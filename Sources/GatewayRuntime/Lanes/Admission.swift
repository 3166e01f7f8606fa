package import GatewayPipeline
import Synchronization
import TelemetryModel

/// The admission check that all lanes share: one count of rejected messages, one limit of published rejections.
package final class Admission: Sendable {
    private let check: Mutex<AdmissionCheck>

    /// An admission by `policy`.
    package init(policy: AccessPolicy, settings: PipelineSettings) {
        check = Mutex(AdmissionCheck(policy: policy, settings: settings))
    }

    /// Admits the messages of a batch that are of `share`; the messages about rejected ones are appended to `refused`.
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

    /// The policy, with the known devices.
    package var policy: AccessPolicy {
        get { check.withLock { $0.policy } }
        set { check.withLock { $0.policy = newValue } }
    }

    /// Rejected messages, by reason.
    var rejected: [RejectionReason: Int] { check.withLock { $0.rejected } }
}
