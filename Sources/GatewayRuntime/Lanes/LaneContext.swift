import GatewayPipeline
import Logging
import Mosquitto

/// The dependencies of a lane's thread: settings, egress, watch and log.
struct LaneContext: Sendable {
    /// A report of a lane to the rest of the gateway.
    enum Report: Sendable {
        /// Frames were released to the broker.
        case released
        /// Why what is stored cannot be written or read has changed; nil when it can.
        case storage(problem: String?)
        /// What is to be known of the gateway's wall clock; nil for nothing.
        case clock(String?)
    }

    /// How long a lane that stops waits for its last commit, in seconds.
    static let lastCommitSeconds = 2.0

    /// Whether the stop hands the devices over.
    let handover: Handover
    /// Whether acknowledgements may be written.
    let permit: Permit
    /// The silence after which a state is kept on disk only, in seconds.
    let idleStateSeconds: Double
    let egress: Egress
    let watch: LaneWatch
    let mailbox: LaneMailbox
    let lanes: LaneRegistry
    /// The wake-up on which the thread sleeps.
    let wakeUp: WakeUp
    let report: @Sendable (Report) -> Void
    let clock: any GatewayClock
    let logger: Logger
    /// The metadata of every line of the lane's log.
    let metadata: Logger.Metadata
}
