import SignalProcessing
import TelemetryModel

/// A turn about gravity that is fast and far enough for a stroke.
struct FastTurn: Sendable, Equatable, Codable {
    /// The fastest sample, in rad/s.
    var peak: SignalPeak
    /// The rotation in the window, in rad, with the peak's sign.
    var yaw: Double
    /// The first sample of the window, in seconds.
    var start: Double
    /// The last sample of the window, in seconds.
    var end: Double
    /// The wrist that turned, where it is known.
    var wrist: Side?
    /// The threshold of the fastest rotation, in rad/s.
    var threshold: Double

    /// The turn in a window that ends at `end`; nil when the window is not full or a threshold is not passed.
    init?(_ window: MovingWindow, end: Double, wrist: Side?, over threshold: Double, _ settings: StrokeSettings) {
        guard window.fills(settings.windowSeconds), let start = window.start else { return nil }
        yaw = window.integral
        guard abs(yaw) > settings.yawThreshold, let peak = yaw > 0 ? window.greatest : window.least,
            peak.value * (yaw > 0 ? 1 : -1) > threshold
        else { return nil }
        self.peak = peak
        self.start = start
        self.end = end
        self.wrist = wrist
        self.threshold = threshold
    }

    /// The stroke's name: clockwise from above is a forehand on the left wrist and a backhand on the right.
    var name: Stroke.Name? {
        wrist.map { (yaw > 0) == ($0 == .left) ? .forehand : .backhand }
    }
}

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
