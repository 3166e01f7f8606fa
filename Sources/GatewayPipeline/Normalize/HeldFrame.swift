package import TelemetryModel

/// A message that waits: for an earlier one, or for news of a workout. Kept as it came, so that it can be written down.
package struct HeldFrame: Sendable, Equatable, Codable {
    /// The message as it arrived.
    package var message: InboundMessage
    /// What orders it.
    package var carrier: Carrier
    /// Its header.
    package var header: FrameHeader
    /// The device time of its first sample; its uptime where it has none.
    package var firstSample: DeviceTime
    /// When it arrived.
    package var received: GatewayTime

    /// A frame that arrived at `received`.
    package init(
        message: InboundMessage, carrier: Carrier, header: FrameHeader, firstSample: DeviceTime, received: GatewayTime
    ) {
        self.message = message
        self.carrier = carrier
        self.header = header
        self.firstSample = firstSample
        self.received = received
    }
}
