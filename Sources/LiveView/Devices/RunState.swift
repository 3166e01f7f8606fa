/// The state of somebody who walks or runs.
package struct RunState: Sendable, Hashable {
    /// `moving`, `paused` or `unknown`; nil before the first `pace`.
    package private(set) var state: String?
    /// In s/m; nil while standing.
    package private(set) var pace: Double?
    /// In s/m, without pauses.
    package private(set) var movingPace: Double?
    /// In m.
    package private(set) var distance: Double?
    /// Seconds without pauses.
    package private(set) var movingTime: Double?
    /// When the pace was measured, and until when it holds.
    package private(set) var paceValidity = Validity()
    /// In m over the start.
    package private(set) var height: Double?
    /// In m over the sea.
    package private(set) var altitude: Double?
    /// Metres up in all.
    package private(set) var ascent: Double?
    /// When the altitude was measured, and until when it holds.
    package private(set) var heightValidity = Validity()
    private var segments = 0
    private var hills = 0

    mutating func takePace(_ fields: DerivedFields) -> Phrase? {
        let before = state
        state = fields.state
        (pace, movingPace, distance, movingTime) = (fields.pace, fields.movingPace, fields.distance, fields.movingTime)
        paceValidity = fields.validity
        guard state != before else { return nil }
        switch state {
        case "moving": return Phrase(before == nil ? "runs" : "runs on", .good)
        case "paused": return Phrase("stands\(total.map { " after \($0)" } ?? "")", .notice)
        default: return before == nil ? nil : Phrase("no steps received", .warning)
        }
    }

    mutating func takeAltitude(_ fields: DerivedFields) {
        (height, altitude, ascent) = (fields.relativeAltitude, fields.altitude, fields.ascent)
        heightValidity = fields.validity
    }

    mutating func takeSegment(_ fields: DerivedFields) -> Phrase {
        segments += 1
        let parts = [
            fields.distance.map { "\($0.text(0)) m" }, fields.duration.map { "\($0.text(0)) s" },
            fields.averagePace.map(Self.perKilometer), fields.netClimb.map { "\($0 < 0 ? "" : "+")\($0.text(0)) m" },
        ].compactMap(\.self)
        return Phrase("segment: " + parts.joined(separator: ", "), .plain)
    }

    mutating func takeHill(_ fields: DerivedFields) -> Phrase {
        hills += 1
        let rank = fields.rank.map { ", place \($0) of \(fields.attempt ?? $0)" } ?? ""
        return Phrase("hill of \((fields.netClimb ?? .nan).text(0)) m in \((fields.duration ?? .nan).text(0)) s\(rank)", .good)
    }

    mutating func clear(_ kind: String) {
        if kind == "pace" { (state, pace, movingPace, distance, movingTime) = (nil, nil, nil, nil, nil) }
        if kind == "altitude" { (height, altitude, ascent) = (nil, nil, nil) }
    }

    func headline(at now: Double) -> Phrase? {
        let climb = height.map { heightValidity.isCurrent(at: now) ? ", \($0 < 0 ? "" : "+")\($0.text(0)) m" : "" } ?? ""
        guard let state else { return height.map { Phrase("\($0.text(0)) m over the start", .plain) } }
        guard state != "unknown", paceValidity.isCurrent(at: now) else {
            return Phrase("no steps received" + (total.map { ", was at \($0)" } ?? ""), .warning)
        }
        let speed = state == "moving" ? pace.map(Self.perKilometer) ?? "moving" : "stands"
        return Phrase(([speed] + [total].compactMap(\.self)).joined(separator: ", ") + climb, state == "moving" ? .good : .plain)
    }

    /// A bar for running, dots for standing.
    func picture(width: Int) -> [Phrase] {
        switch state {
        case "moving": [Phrase(String(repeating: "▸", count: width), .good)]
        case "paused": [Phrase(String(repeating: "·", count: width), .quiet)]
        default: [Phrase(String(repeating: " ", count: width))]
        }
    }

    var summary: String? {
        guard let total else { return segments > 0 ? segments.counted("segment") : nil }
        let parts = [
            total, movingPace.map { "moving pace \(Self.perKilometer($0))" }, segments > 0 ? segments.counted("segment") : nil,
            hills > 0 ? hills.counted("hill") : nil, ascent.map { "\($0.text(0)) m up" },
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }

    private var total: String? { distance.map { "\($0.text(0)) m" } }

    /// A pace in s/m as minutes and seconds for a kilometre.
    private static func perKilometer(_ pace: Double) -> String {
        guard pace.isFinite, pace > 0, pace < 60 else { return "pace unknown" }
        let seconds = Int((pace * 1_000).rounded())
        return "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60) min/km"
    }
}
