import GatewayConfiguration
import Mosquitto

/// What of a running lane can be read from any thread.
struct LaneProbe: Sendable {
    /// The lane.
    let name: GatewayConfiguration.Lanes.Name
    /// Its connection; the lane runs on this client's thread.
    let client: MosquittoClient
    /// The heartbeats that it receives.
    let watch: LaneWatch
    /// The pulse of its committer.
    let committing: ThreadPulse
    /// Its counts.
    let mailbox: LaneMailbox
}
