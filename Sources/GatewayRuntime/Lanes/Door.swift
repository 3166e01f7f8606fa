package import GatewayPipeline
import Synchronization
import TelemetryModel

/// The door before all lanes: one count of strangers, one limit for telling of them.
package final class Door: Sendable {
    private let keeper: Mutex<Doorkeeper>

    /// A door for `policy`.
    package init(policy: AccessPolicy, settings: PipelineSettings) {
        keeper = Mutex(Doorkeeper(policy: policy, settings: settings))
    }

    /// Lets the messages of a batch in that are for `share`; what is to be published of the others comes back too.
    func admit(
        _ batch: [InboundMessage], for share: StreamShare, at now: GatewayTime
    ) -> (known: [KnownMessage], turnedAway: [OutboundMessage]) {
        keeper.withLock { keeper in
            var turnedAway: [OutboundMessage] = []
            let known = batch.compactMap { keeper.admit($0, for: share, at: now, into: &turnedAway) }
            return (known, turnedAway)
        }
    }

    /// Who is known.
    package var policy: AccessPolicy {
        get { keeper.withLock { $0.policy } }
        set { keeper.withLock { $0.policy = newValue } }
    }

    /// Messages turned away, by reason.
    var rejected: [RejectionReason: Int] { keeper.withLock { $0.rejected } }
}
