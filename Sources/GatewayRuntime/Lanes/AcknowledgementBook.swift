import GatewayPipeline
import TelemetryModel

/// What devices are told to be committed: the newest of each topic, at most once a second.
struct AcknowledgementBook: Sendable {
    private static let intervalSeconds = 1.0

    private struct Entry: Sendable {
        var message: OutboundMessage
        var isNews = true
        var toldAt = -Double.infinity
    }

    private var entries: [DeviceID: [String: Entry]] = [:]
    private var pending: Set<DeviceID> = []

    /// Notes what a checkpoint has committed of `device`; nothing at all when it is kept no longer.
    mutating func note(_ messages: [OutboundMessage], of device: DeviceID) {
        guard !messages.isEmpty else {
            entries[device] = nil
            return
        }
        for message in messages where entries[device]?[message.topic]?.message != message {
            let toldAt = entries[device]?[message.topic]?.toldAt ?? -.infinity
            entries[device, default: [:]][message.topic] = Entry(message: message, toldAt: toldAt)
            pending.insert(device)
        }
    }

    /// Has everything told once more.
    mutating func tellAgain() {
        for (device, topics) in entries {
            for topic in topics.keys { entries[device]?[topic]?.isNews = true }
            pending.insert(device)
        }
    }

    /// The messages whose turn it is at `monotonic`.
    mutating func due(at monotonic: Double) -> [OutboundMessage] {
        var due: [OutboundMessage] = []
        for device in pending {
            var isWaiting = false
            for (topic, entry) in entries[device] ?? [:] where entry.isNews {
                guard monotonic - entry.toldAt >= Self.intervalSeconds else {
                    isWaiting = true
                    continue
                }
                due.append(entry.message)
                entries[device]?[topic]?.isNews = false
                entries[device]?[topic]?.toldAt = monotonic
            }
            if !isWaiting { pending.remove(device) }
        }
        return due
    }
}
