import GatewayPipeline
import Logging
import TelemetryModel

/// Logs the rejections that are published, with a bound: one line for a device in 10 s, and ten lines a second in all.
struct RejectionLog {
    /// The shortest time between two lines about one device, in seconds.
    private static let deviceSeconds = 10.0
    private static let linesPerSecond = 10
    /// More devices than this are not distinguished.
    private static let mostDevices = 1_000

    private struct Entry {
        var loggedAt: Double
        /// Rejected messages that are in no line.
        var omitted = 0
    }

    private let logger: Logger
    private let metadata: Logger.Metadata
    private let splitter = JSONSplitter()
    private var entries: [String: Entry] = [:]
    private var second = -Double.infinity
    private var linesOfSecond = 0

    /// A log of one lane.
    init(logger: Logger, metadata: Logger.Metadata) {
        self.logger = logger
        self.metadata = metadata
    }

    /// Logs the rejections among `messages`, which are published at `monotonic`.
    mutating func note(_ messages: [OutboundMessage], at monotonic: Double) {
        guard logger.logLevel <= .info else { return }
        for message in messages where message.topic.hasSuffix("/rejected") { note(message, at: monotonic) }
    }

    private mutating func note(_ message: OutboundMessage, at monotonic: Double) {
        let members = try? splitter.split(message.payload[...], "topic", "reason", "pointer", "detail", "count")
        guard let members, let reason = members[1]?.text else { return }
        let count = members[4]?.number.flatMap(Int.init(exactly:)) ?? 1
        if entries[message.topic] == nil, entries.count >= Self.mostDevices { entries.removeAll() }
        if let entry = entries[message.topic], monotonic - entry.loggedAt < Self.deviceSeconds || !hasRoom(at: monotonic) {
            entries[message.topic]?.omitted.addSaturated(count)
            return
        }
        guard takesLine(at: monotonic) else { return }
        let omitted = entries[message.topic]?.omitted ?? 0
        entries[message.topic] = Entry(loggedAt: monotonic)
        var line = metadata
        // Quoted: a topic may hold any character.
        line["topic"] = "\((members[0]?.text ?? "").debugDescription)"
        line["reason"] = "\(reason)"
        if let pointer = members[2]?.text, !pointer.isEmpty { line["at"] = "\(pointer.debugDescription)" }
        if let detail = members[3]?.text { line["detail"] = "\(detail.debugDescription)" }
        let more = omitted.addingSaturated(count - 1)
        if more > 0 { line["more"] = "\(more)" }
        logger.info("rejected", metadata: line)
    }

    private func hasRoom(at monotonic: Double) -> Bool { monotonic - second >= 1 || linesOfSecond < Self.linesPerSecond }

    private mutating func takesLine(at monotonic: Double) -> Bool {
        guard hasRoom(at: monotonic) else { return false }
        if monotonic - second >= 1 { (second, linesOfSecond) = (monotonic, 0) }
        linesOfSecond += 1
        return true
    }
}
