import GatewayPipeline
import TelemetryModel

/// Somebody who walks or runs, by pace and altitude.
extension LiveDevice {
    private var pace: ShownFields? { latest[Pace.name]?.fields }
    private var altitude: ShownFields? { latest[Altitude.name]?.fields }
    private var total: String? { pace?.measure("distance", 0) }

    func runHeadline(at now: Double, isLive: Bool) -> Phrase? {
        let climb = altitude.flatMap {
            isLive && $0.validity.isCurrent(at: now) ? $0.measure("relativeAltitude", 0, sign: .always) : nil
        }
        guard let pace, let state = pace.text("state") else {
            let was = climb == nil ? "was " : ""
            return altitude?.measure("relativeAltitude", 0).map { Phrase("\(was)\($0) over the start") }
        }
        guard isLive, state != Pace.State.unknown.rawValue, pace.validity.isCurrent(at: now) else {
            return Phrase(list: ["no steps received", total.map { "was at \($0)" }], .warning)
        }
        let isMoving = state == Pace.State.moving.rawValue
        let speed = isMoving ? pace.number("pace").map(\.perKilometer) ?? "moving" : "stands"
        return Phrase(list: [speed, total, climb], isMoving ? .good : .plain)
    }

    /// A bar for running, dots for standing.
    func runPicture(width: Int) -> [Phrase] {
        switch pace?.text("state") {
        case Pace.State.moving.rawValue: [Phrase(String(repeating: "▸", count: width), .good)]
        case Pace.State.paused.rawValue: [Phrase(String(repeating: "·", count: width), .quiet)]
        default: [Phrase(String(repeating: " ", count: width))]
        }
    }

    var runSummary: String? {
        let segments = tallies["segment"].map { $0.counted("segment") }
        guard let total else { return segments }
        let parts = [
            total, pace?.number("movingPace").map { "moving pace \($0.perKilometer)" }, segments,
            tallies["hill"].map { $0.counted("hill") }, altitude?.measure("ascent", 0).map { "\($0) up" },
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }
}
