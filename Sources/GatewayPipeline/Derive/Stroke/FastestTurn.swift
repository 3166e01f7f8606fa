import SignalProcessing

/// Picks the fastest of the turns that come close together, so that no two picks' peaks are closer than a given time.
///
/// A stroke's backswing comes first and may pass every threshold, so the pick waits for the given time from the first turn on.
struct FastestTurn: Sendable, Equatable, Codable {
    /// The fastest turn so far, as long as a faster one may still take its place.
    private(set) var pending: FastTurn?
    private var pendingSince = 0.0
    private var lastPeak: Double?

    /// Takes the time of any sample and the turn seen at it; gives the pick that this sample makes final. In seconds.
    mutating func step(time: Double, _ turn: FastTurn?, within seconds: Double) -> FastTurn? {
        let picked = pending != nil && time - pendingSince >= seconds ? flush() : nil
        guard let turn, turn.peak.time - (lastPeak ?? -.infinity) >= seconds else { return picked }
        if pending == nil { pendingSince = time }
        if exceedsPending(turn) { pending = turn }
        return picked
    }

    /// Makes the pending pick final without waiting.
    mutating func flush() -> FastTurn? {
        defer { pending = nil }
        if let pending { lastPeak = pending.peak.time }
        return pending
    }

    /// The window of one peak turns further while the stroke goes on.
    private func exceedsPending(_ turn: FastTurn) -> Bool {
        guard let pending else { return true }
        return turn.peak == pending.peak
            ? abs(turn.yaw) > abs(pending.yaw) : abs(turn.peak.value) > abs(pending.peak.value)
    }
}
