internal import SignalProcessing
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

    /// The turn in a window that ends at `end`; nil when the window is not full or a threshold is not passed.
    init?(_ window: MovingWindow, end: Double, wrist: Side?, _ settings: StrokeSettings) {
        guard window.fills(settings.windowSeconds), let start = window.start else { return nil }
        yaw = window.integral
        guard abs(yaw) > settings.yawThreshold, let peak = yaw > 0 ? window.greatest : window.least,
            peak.value * (yaw > 0 ? 1 : -1) > settings.rateThreshold
        else { return nil }
        self.peak = peak
        self.start = start
        self.end = end
        self.wrist = wrist
    }

    /// The stroke's name: clockwise from above is a forehand on the left wrist and a backhand on the right.
    var name: TelemetryModel.Stroke.Name? {
        wrist.map { (yaw > 0) == ($0 == .left) ? .forehand : .backhand }
    }
}
