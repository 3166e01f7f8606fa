import GatewayPipeline
import Logging
import Mosquitto

/// What a lane's thread has around it.
struct LaneContext: Sendable {
    /// Something that the rest of the gateway is to know of a lane.
    enum Report: Sendable {
        /// A commit succeeded after one had failed.
        case committed
        /// Frames were given back to the broker; `storageProblem` says why, if the broker is not to blame.
        case released(storageProblem: String?)
        /// States on disk cannot be read.
        case unreadable(String)
    }

    /// How long a lane that stops waits for its last commit, in seconds.
    static let lastCommitSeconds = 2.0

    /// The gateway's name.
    let gateway: String
    /// After how much silence a state need not be in memory, in seconds.
    let idleStateSeconds: Double
    let egress: Egress
    let watch: LaneWatch
    let mailbox: LaneMailbox
    let lanes: LaneRegistry
    /// Where the thread sleeps.
    let wakeUp: WakeUp
    let report: @Sendable (Report) -> Void
    let clock: any GatewayClock
    let logger: Logger
    /// What every line of the lane's log names.
    let metadata: Logger.Metadata
}
