package import GatewayPipeline

/// A step that concerns all devices of a lane.
package enum PipelineCommand: Sendable {
    /// The gateway has started.
    case begin
    /// The broker kept the session of the gateway's previous run.
    case resume
    /// Time has passed, as far as the lane could have read what is waited for.
    case tick(LanePace)
    /// For so many seconds the lane could not read.
    case postponeWaits(Double)
    /// The operator's policy has changed.
    case replace(AccessPolicy)
    /// Other lanes have seen devices.
    case recordActivity([DeviceActivity])
    /// The broker has lost the messages that it retained.
    case restoreRetained
    /// States of devices that were silent since this instant of the monotonic clock need not be in memory.
    case evict(Double)
    /// Nothing more will come: frames that wait are processed.
    case drain
    /// The gateway stops.
    case end
}

/// Takes messages to be published, in order, without waiting.
package protocol OutboundSink: Sendable {
    /// Appends messages to what is to be published.
    func publish(_ messages: [OutboundMessage])
}
