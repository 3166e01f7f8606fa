package import GatewayPipeline

/// A step that concerns all devices of a lane.
package enum PipelineCommand: Sendable {
    /// The gateway has started; `changesOwner` when another one owned its devices before.
    case begin(changesOwner: Bool)
    /// The broker kept the session of the gateway's previous run.
    case resume
    /// Time has passed, as far as the lane could have read awaited messages.
    case tick(LanePace)
    /// The lane could not read for this many seconds.
    case postponeWaits(Double)
    /// Wait for what the broker may deliver again. Frames that wait already do so for as long where the session was resumed, and not where the
    /// lane is behind.
    case awaitRedelivery(extendsWaits: Bool)
    /// The operator's policy has changed.
    case replace(AccessPolicy)
    /// Other lanes have received frames of devices.
    case recordActivity([DeviceActivity])
    /// Whether other lanes may not have received yet what devices have sent.
    case awaitActivity(Bool)
    /// The broker has lost the messages that it retained.
    case restoreRetained
    /// States of devices that were silent since this instant of the monotonic clock may leave memory.
    case evict(Double)
    /// Rows that a query could not read have to be set aside.
    case setAside(StoredDamage)
    /// No more messages will arrive: waiting frames are processed.
    case drain
    /// The gateway stops.
    case end
    /// The gateway stops, and another one takes its devices.
    case handOver
}
