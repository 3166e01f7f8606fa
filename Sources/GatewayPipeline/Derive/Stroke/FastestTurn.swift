import SignalProcessing

/// Selects the fastest of turns that are close together, so that no two selected peaks are closer than a given time.
///
/// A stroke's backswing comes first and may pass every threshold, so the selection waits for the given time from the first turn
/// on.
struct FastestTurn: Sendable, Equatable, Codable {
    /// The fastest turn so far, while a faster one may still replace it.
    private(set) var pending: FastTurn?
    private var pendingSince = 0.0
    private var lastPeak: Double?

    /// Processes the time of a sample and the turn found at it; returns the turn that this sample makes final. In seconds.
    mutating func step(time: Double, _ turn: FastTurn?, within seconds: Double) -> FastTurn? {
        let picked = pending != nil && time - pendingSince >= seconds ? flush() : nil
        guard let turn, turn.peak.time - (lastPeak ?? -.infinity) >= seconds else { return picked }
        if pending == nil { pendingSince = time }
        if exceedsPending(turn) { pending = turn }
        return picked
    }

    /// Makes the pending turn final without waiting.
    mutating func flush() -> FastTurn? {
        defer { pending = nil }
        if let pending { lastPeak = pending.peak.time }
        return pending
    }

    /// Whether `turn` replaces the pending one: the window of one peak accumulates rotation while the stroke goes on.
    private func exceedsPending(_ turn: FastTurn) -> Bool {
        guard let pending else { return true }
        return turn.peak == pending.peak
            ? abs(turn.yaw) > abs(pending.yaw) : abs(turn.peak.value) > abs(pending.peak.value)
    }
}
