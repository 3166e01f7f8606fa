/// The state of a device that swings.
package struct BatState: Sendable, Hashable {
    /// How many swings hit something.
    package private(set) var hits = 0
    /// Seconds to contact of the latest hits.
    private var times: [Double] = []
    /// The latest swing.
    package private(set) var latest: LatestSwing?
    package private(set) var misses = 0
    package private(set) var impacts = 0
    package private(set) var forehands = 0
    package private(set) var backhands = 0
    /// Hit or miss, the latest last.
    package private(set) var recent: [Bool] = []
    package private(set) var headline: Phrase?

    /// What the table shows of a swing.
    package struct LatestSwing: Sendable, Hashable {
        /// When it was, unix seconds.
        package var at: Double?
        /// Whether something was hit.
        package var contact: Bool
        /// Seconds from start to impact; nil on a miss.
        package var timeToContact: Double?
        /// 0 to 1.
        package var confidence: Double?
    }

    mutating func takeSwing(_ fields: DerivedFields) -> Phrase? {
        guard let contact = fields.contact else { return nil }
        latest = LatestSwing(
            at: fields.at, contact: contact, timeToContact: fields.timeToContact, confidence: fields.confidence)
        recent.append(contact)
        recent.removeFirst(max(0, recent.count - 64))
        let phrase: Phrase
        if contact {
            let time = fields.timeToContact ?? .nan
            hits += 1
            times.append(time)
            times.removeFirst(max(0, times.count - 8))
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
        if hits > 0 || misses > 0 {
            let list = (hits > times.count ? "latest " : "") + times.map { $0.text(2) }.joined(separator: ", ")
            parts.append(hits.counted("hit") + (hits == 0 ? "" : " (\(list) s to contact)"))
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
