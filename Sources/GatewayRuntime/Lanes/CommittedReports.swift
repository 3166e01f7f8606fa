import GatewayPipeline
import TelemetryModel

/// The `committed` messages of all devices: the newest of each topic is published, at most once a second.
struct CommittedReports: Sendable {
    private static let intervalSeconds = 1.0

    private struct Entry: Sendable {
        var message: OutboundMessage
        var isDue = true
        var publishedAt = -Double.infinity
    }

    private var entries: [DeviceID: [String: Entry]] = [:]
    private var pending: Set<DeviceID> = []
    /// When the next message is due, on the monotonic clock; nil while none waits.
    private(set) var nextDue: Double?

    /// Records what a checkpoint has committed of `device`; no messages when its state was deleted.
    mutating func note(_ messages: [OutboundMessage], of device: DeviceID) {
        guard !messages.isEmpty else {
            entries[device] = nil
            return
        }
        for message in messages where entries[device]?[message.topic]?.message != message {
            let publishedAt = entries[device]?[message.topic]?.publishedAt ?? -.infinity
            entries[device, default: [:]][message.topic] = Entry(message: message, publishedAt: publishedAt)
            pending.insert(device)
            nextDue = min(nextDue ?? .infinity, publishedAt + Self.intervalSeconds)
        }
    }

    /// Makes every message due again.
    mutating func repeatAll() {
        for (device, topics) in entries {
            for topic in topics.keys { entries[device]?[topic]?.isDue = true }
            pending.insert(device)
        }
        if !pending.isEmpty { nextDue = -.infinity }
    }

    /// The messages to publish at `monotonic`.
    mutating func due(at monotonic: Double) -> [OutboundMessage] {
        guard let nextDue, nextDue <= monotonic else { return [] }
        var due: [OutboundMessage] = []
        var earliest: Double?
        for device in pending {
            var isWaiting = false
            for (topic, entry) in entries[device] ?? [:] where entry.isDue {
                guard monotonic - entry.publishedAt >= Self.intervalSeconds else {
                    isWaiting = true
                    earliest = min(earliest ?? .infinity, entry.publishedAt + Self.intervalSeconds)
                    continue
                }
                due.append(entry.message)
                entries[device]?[topic]?.isDue = false
                entries[device]?[topic]?.publishedAt = monotonic
            }
            if !isWaiting { pending.remove(device) }
        }
        self.nextDue = earliest
        return due
    }
}
