import GatewayPipeline
import TelemetryModel

/// Swings of a device: hits and misses.
struct Swings: Sendable {
    private var hits = 0
    private var misses = 0
    private var impacts = 0
    /// Seconds to contact of the latest hits.
    private var times: [Double] = []
    /// Hit or miss, the latest last.
    private var recent: [Bool] = []

    mutating func take(_ fields: ShownFields) {
        if fields.path == Impact.name { impacts += 1 }
        guard fields.path == Swing.name, let contact = fields.flag("contact") else { return }
        recent.append(contact)
        recent.removeFirst(max(0, recent.count - 64))
        guard contact else { return misses += 1 }
        hits += 1
        times.append(fields.number("timeToContact") ?? .nan)
        times.removeFirst(max(0, times.count - 8))
    }

    /// The latest swings: filled for a hit.
    func tally(width: Int) -> [Phrase] {
        let latest = recent.suffix(width)
        return latest.map { $0 ? Phrase("●", .good) : Phrase("○", .plain) }
            + [Phrase(String(repeating: " ", count: width - latest.count))]
    }

    var summary: String? {
        guard hits + misses > 0 else { return impacts > 0 ? impacts.counted("impact") : nil }
        let list = (hits > times.count ? "latest " : "") + times.map { $0.text(2) }.joined(separator: ", ")
        return hits.counted("hit") + (hits == 0 ? "" : " (\(list) s to contact)") + ", " + misses.counted("miss", "misses")
    }
}
