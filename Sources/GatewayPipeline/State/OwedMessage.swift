package import TelemetryModel

/// A message that a replay has led to, as it is stored until the broker has accepted it.
///
/// Its topic is made when it is published: the file may have moved to a gateway with another root.
package struct OwedMessage: Sendable, Equatable, Codable {
    /// Whose it is.
    package let device: DeviceID
    /// The kind: the path after `out/`.
    package let kind: String
    private let payload: [UInt8]
    private let retain: Bool
    private let expirySeconds: UInt32?
    private let isUrgent: Bool
    private let id: String?
    private let at: String?

    /// `message` of `device`; nil where its topic is none of the device's, so that it cannot be made again.
    init?(_ message: OutboundMessage, of device: DeviceID, by encoder: OutboundEncoder) {
        let prefix = encoder.topic("", of: device)
        guard message.topic.hasPrefix(prefix) else { return nil }
        self.device = device
        kind = String(message.topic.dropFirst(prefix.count))
        payload = message.payload
        retain = message.retain
        expirySeconds = message.expirySeconds
        isUrgent = message.isUrgent
        id = message.event?.id
        at = message.event?.at
    }

    /// The message on the topic that `encoder` gives its kind.
    func message(by encoder: OutboundEncoder) -> OutboundMessage {
        OutboundMessage(
            topic: encoder.topic(kind, of: device), payload: payload, retain: retain, expirySeconds: expirySeconds,
            isUrgent: isUrgent, event: id.flatMap { id in at.map { .init(id: id, at: $0) } })
    }
}
