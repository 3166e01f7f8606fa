/// The state of a device that swings.
struct BatState: Sendable, Hashable {
    /// Seconds to contact of each hit.
    private(set) var hits: [Double] = []
    private(set) var misses = 0
    private(set) var impacts = 0
    private(set) var forehands = 0
    private(set) var backhands = 0
    /// Hit or miss, the latest last.
    private(set) var recent: [Bool] = []
    private(set) var headline: Phrase?

    mutating func takeSwing(_ fields: DerivedFields) -> Phrase? {
        guard let contact = fields.contact else { return nil }
        recent.append(contact)
        recent.removeFirst(max(0, recent.count - 64))
        let phrase: Phrase
        if contact {
            let time = fields.timeToContact ?? .nan
            hits.append(time)
            phrase = Phrase("hit, \(time.text(2)) s to contact" + Self.measures(fields), .good)
        } else {
            misses += 1
            phrase = Phrase("missed" + Self.measures(fields), .plain)
        }
        headline = phrase
        return phrase
    }

    mutating func takeImpact(_ fields: DerivedFields) {
        impacts += 1
        headline = Phrase("impact, \((fields.peakAcceleration ?? .nan).text(0)) G", .notice)
    }

    mutating func takeStroke(_ fields: DerivedFields) -> Phrase? {
        guard let stroke = fields.stroke else { return nil }
        forehands = fields.forehandCount ?? forehands
        backhands = fields.backhandCount ?? backhands
        let phrase = Phrase("\(stroke.printable), \(forehands) forehand, \(backhands) backhand so far", .good)
        headline = phrase
        return phrase
    }

    /// The latest swings: filled for a hit.
    func tally(width: Int) -> [Phrase] {
        let latest = recent.suffix(width)
        return latest.map { $0 ? Phrase("●", .good) : Phrase("○", .plain) }
            + [Phrase(String(repeating: " ", count: width - latest.count))]
    }

    var summary: String {
        var parts: [String] = []
        if !hits.isEmpty || misses > 0 {
            let times = hits.map { $0.text(2) }.joined(separator: ", ")
            parts.append(hits.count.counted("hit") + (hits.isEmpty ? "" : " (\(times) s to contact)"))
            parts.append(misses.counted("miss", "misses"))
        } else if impacts > 0 {
            parts.append(impacts.counted("impact"))
        }
        if forehands > 0 || backhands > 0 {
            parts += [forehands.counted("forehand"), backhands.counted("backhand")]
        }
        return parts.joined(separator: ", ")
    }

    private static func measures(_ fields: DerivedFields) -> String {
        (fields.peakRotationRate.map { ", \(abs($0).text(0)) rad/s" } ?? "")
            + (fields.contact == true ? fields.peakAcceleration.map { ", \($0.text(0)) G" } ?? "" : "")
    }
}
